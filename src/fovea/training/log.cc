#include "fovea/training/log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/base/files.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

// JSON knows no infinities and writes null.
double number(const Json& object, const char* key) {
  const Json& value = object.at(key);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

LogEntry parse_line(std::string_view line) {
  const Json object = Json::parse(line);
  LogEntry entry{.step = object.at("step").get<Index>(), .seconds = number(object, "seconds")};
  if (object.contains("metric")) {
    entry.score = Grade{.value = number(object, "score"),
                        .name = object.at("metric").get<std::string>(),
                        .text = object.at("text").get<std::string>()};
    return entry;
  }
  entry.loss = number(object, "loss");
  entry.rate = number(object, "rate");
  entry.per_second = number(object, "per_second");
  entry.gradient_norm = number(object, "gradient_norm");
  if (object.contains("figures")) {
    for (const auto& item : object.at("figures").items()) {
      entry.figures.emplace_back(item.key(), number(object.at("figures"), item.key().c_str()));
    }
  }
  return entry;
}

}  // namespace

void add_figures(Figures& to, const Figures& from, double keep) {
  for (auto& figure : to) figure.second *= keep;
  for (const auto& figure : from) {
    const auto same = std::find_if(to.begin(), to.end(),
                                   [&](const auto& other) { return other.first == figure.first; });
    if (same == to.end()) {
      to.push_back(figure);
    } else {
      same->second += figure.second;
    }
  }
}

Figures divided(Figures figures, double by) {
  for (auto& figure : figures) figure.second /= by;
  return figures;
}

std::string log_line(const LogEntry& entry) {
  Json object = {{"step", entry.step}, {"seconds", entry.seconds}};
  if (entry.score) {
    object["metric"] = entry.score->name;
    object["score"] = entry.score->value;
    object["text"] = entry.score->text;
  } else {
    object["loss"] = entry.loss;
    object["rate"] = entry.rate;
    object["per_second"] = entry.per_second;
    object["gradient_norm"] = entry.gradient_norm;
    for (const auto& [name, value] : entry.figures) object["figures"][name] = value;
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string log_text(const std::vector<LogEntry>& entries) {
  std::string text;
  for (const LogEntry& entry : entries) text += log_line(entry) + "\n";
  return text;
}

void LogFile::open(const std::string& path, const std::vector<LogEntry>& entries) {
  path_ = path;
  if (path_.empty()) return;
  remove_remainders(path_);
  write_file(path_, log_text(entries));
  file_.open(path_, std::ios::app);
}

void LogFile::add(const LogEntry& entry) {
  if (path_.empty()) return;
  errno = 0;
  file_ << log_line(entry) << std::endl;  // what is killed loses no line
  if (file_) return;
  fail("{}: cannot write: {}; stopped after step {}, --resume goes on from the last checkpoint",
       path_, std::strerror(errno), entry.step);
}

std::vector<LogEntry> parse_log(std::string_view text, const std::string& name) {
  std::vector<LogEntry> entries;
  for (Index line = 1; !text.empty(); ++line) {
    const std::size_t length = text.find('\n');
    try {
      entries.push_back(parse_line(text.substr(0, length)));
    } catch (const Json::exception&) {
      fail("{}:{}: this is no line of a training log", name, line);
    }
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
  }
  return entries;
}

}  // namespace fovea
