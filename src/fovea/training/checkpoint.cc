#include "fovea/training/checkpoint.h"

#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/base/files.h"
#include "fovea/io/source.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "fovea checkpoint 1";

std::string previous(const std::string& path) { return path + ".previous"; }

bool exists(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

// One list of members for writing and reading.
template <class State, class Member>
void visit_state(State& state, const Member& member) {
  member("step", state.step);
  member("seconds", state.seconds);
  member("skipped", state.skipped);
  member("skipped_in_a_row", state.skipped_in_a_row);
  member("validated_at", state.validated_at);
  member("without_progress", state.without_progress);
  member("best_step", state.best_step);
  member("reported_at", state.reported_at);
  member("loss_sum", state.loss_sum);
  member("loss_count", state.loss_count);
  member("step_seconds", state.step_seconds);
  member("gradient_norm", state.gradient_norm);
  member("figures", state.figures);
}

Json state_json(const TrainState& state) {
  Json json;
  visit_state(state, [&](const char* name, const auto& value) { json[name] = value; });
  if (state.best) {
    json["best"] = {{"value", state.best->value},
                    {"name", state.best->name},
                    {"text", state.best->text},
                    {"second", state.best->second}};
  }
  return json;
}

TrainState parse_state(const std::string& text) {
  const Json json = Json::parse(text);
  TrainState state;
  visit_state(state, [&](const char* name, auto& value) { json.at(name).get_to(value); });
  if (json.contains("best")) {
    const Json& best = json["best"];
    state.best = Grade{.value = best.at("value").get<double>(),
                       .name = best.at("name").get<std::string>(),
                       .text = best.at("text").get<std::string>(),
                       .second = best.value("second", 0.0)};
  }
  return state;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Members of an object by name; nothing if it is none.
std::map<std::string, std::string> members_of(const std::string& text) {
  std::map<std::string, std::string> members;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return members;
  for (const auto& [name, value] : json.items()) {
    members[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return members;
}

}  // namespace

std::string difference(const std::string& name, const std::string& was, const std::string& is) {
  std::map<std::string, std::string> before = members_of(was), now = members_of(is);
  if (before.empty() || now.empty()) {
    const auto shown = [](const std::string& x) { return x.empty() ? "not given" : "'" + x + "'"; };
    return fmt::format("{} was {} and is {}", name, shown(was), shown(is));
  }
  for (const auto& [member, value] : now) before.try_emplace(member);
  std::string all;
  for (const auto& [member, value] : before) {
    const std::string& is_now = now[member];
    const bool came_later = value.empty() && is_now == "false";
    if (value == is_now || came_later) continue;
    all += (all.empty() ? "" : ", ") + difference(name + "." + member, value, is_now);
  }
  return all;
}

std::string checkpoint_checksum(const ModelFile& file) {
  uLong sum = 0;
  const auto add = [&](const void* bytes, std::size_t size) {
    sum = crc32_z(sum, static_cast<const Bytef*>(bytes), size);
  };
  // With the zero that ends it, so that no text runs into the next.
  const auto add_text = [&](const std::string& text) { add(text.c_str(), text.size() + 1); };
  for (const auto& [name, text] : file.metadata) {
    if (name == "checksum") continue;
    add_text(name);
    add_text(text);
  }
  for (const auto& [name, tensor] : file.tensors) {
    const Tensor packed = tensor.packed();
    add_text(name);
    add_text(tensor.shape().text());
    add(packed.data(), static_cast<std::size_t>(packed.size()) * sizeof(float));
  }
  return fmt::format("{:08x}", sum);
}

Checkpoint parse_checkpoint(const ModelFile& file, const std::string& name) {
  const auto text = [&](const char* key) -> const std::string& {
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end()) fail("{}: is no checkpoint: it has no '{}'", name, key);
    return found->second;
  };
  const std::string found = checkpoint_checksum(file);
  if (text("checksum") != found) {
    fail("{}: is damaged: its checksum is {}, {} was expected", name, found,
         in_quotes(text("checksum")));
  }
  if (text("format") != kFormat) {
    fail("{}: is a {}, this program reads '{}'", name, in_quotes(text("format")), kFormat);
  }
  Checkpoint checkpoint{.tensors = file.tensors, .log = parse_log(text("log"), name)};
  try {
    checkpoint.state = parse_state(text("state"));
    checkpoint.options = Json::parse(text("options")).get<std::map<std::string, std::string>>();
  } catch (const Json::exception&) {
    fail("{}: is damaged: its state cannot be understood", name);
  }
  return checkpoint;
}

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  ModelFile file{.tensors = checkpoint.tensors,
                 .metadata = {{"format", kFormat},
                              {"options", dumped(Json(checkpoint.options))},
                              {"state", dumped(state_json(checkpoint.state))},
                              {"log", log_text(checkpoint.log)}}};
  file.metadata["checksum"] = checkpoint_checksum(file);
  const bool moved = std::rename(path.c_str(), previous(path).c_str()) == 0;
  try {
    write_safetensors(path, file);
  } catch (...) {
    if (moved) std::rename(previous(path).c_str(), path.c_str());
    throw;
  }
}

std::optional<FoundCheckpoint> read_checkpoint(const std::string& path) {
  std::string problems;
  for (const std::string& file : {path, previous(path)}) {
    if (!exists(file)) continue;  // a writer was killed before it was done
    try {
      FoundCheckpoint found{parse_checkpoint(read_safetensors(file), file), file};
      if (!problems.empty())
        found.note = fmt::format("{}; going on from the checkpoint before it", problems);
      return found;
    } catch (const Error& error) {
      problems += (problems.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (problems.empty()) return std::nullopt;
  fail("{}; no checkpoint can be used, pass --restart to begin anew", problems);
}

bool checkpoint_exists(const std::string& path) { return exists(path) || exists(previous(path)); }

void remove_checkpoint(const std::string& path) {
  // The older one first: whenever this is killed, what is left is the newest.
  for (const std::string& file : {previous(path), path}) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
  }
  remove_remainders(path);
}

}  // namespace fovea
