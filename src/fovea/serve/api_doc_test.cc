// The examples of docs/api.md are asked, and answered as it says.
#include <fstream>
#include <regex>

#include "fovea/serve/serve_test_tools.h"

namespace fovea {
namespace {

using nlohmann::json;

struct Example {
  std::string path, body, answer;
};

std::vector<Example> examples_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<Example> examples;
  const std::regex curl("curl http://127\\.0\\.0\\.1:8080(/[^ ]*)(?: -d '(.*)')?");
  std::string block;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      block = block.empty() ? line : "";
      continue;
    }
    std::smatch match;
    if (block == "```sh" && std::regex_match(line, match, curl)) {
      examples.push_back({match[1], match[2], ""});
    }
    if (block == "```json") examples.back().answer += line + "\n";
  }
  return examples;
}

// Every field that is shown is there, of the same type; and, unless only the beginning is shown, no
// other is.
void expect_alike(const json& shown, const json& answer, bool whole, const std::string& where) {
  EXPECT_TRUE(shown.type() == answer.type() || (shown.is_number() && answer.is_number()))
      << where << ": " << answer;
  if (shown.is_object() && answer.is_object()) {
    for (const auto& item : shown.items()) {
      EXPECT_TRUE(answer.contains(item.key())) << where << ": no " << item.key();
      if (answer.contains(item.key())) {
        expect_alike(item.value(), answer[item.key()], whole, where + "." + item.key());
      }
    }
    for (const auto& item : answer.items()) {
      EXPECT_TRUE(!whole || shown.contains(item.key()))
          << where << ": " << item.key() << " is not in the document";
    }
  }
  if (shown.is_array() && answer.is_array() && !shown.empty() && !answer.empty()) {
    expect_alike(shown[0], answer[0], whole, where + "[]");
  }
}

TEST(ApiDocument, ShowsWhatTheServerAnswers) {
  const Server server(all_models(), any_port());
  const std::vector<Example> examples = examples_of("docs/api.md");
  EXPECT_EQ(examples.size(), 12u);
  for (const Example& example : examples) {
    const Answer answer =
        ask(server.port(), example.body.empty() ? "GET" : "POST", example.path, example.body);
    if (example.answer.empty()) {
      EXPECT_EQ(answer.status, 200) << example.path;
      continue;
    }
    const json shown = json::parse(example.answer);
    EXPECT_EQ(answer.status, shown.value("/error/status"_json_pointer, 200)) << answer.body;
    if (shown.contains("error")) {
      EXPECT_EQ(answer.json(), shown);
    }
    expect_alike(shown, answer.json(), !shown.contains("format"), example.path);
  }
}

}  // namespace
}  // namespace fovea
