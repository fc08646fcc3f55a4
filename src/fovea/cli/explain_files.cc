#include "fovea/cli/explain_files.h"

#include <fmt/format.h>

#include <ostream>

#include "fovea/attention/trace_json.h"
#include "fovea/base/files.h"
#include "fovea/cli/text.h"
#include "fovea/cli/verb.h"

namespace fovea::cli {

std::string numbered(const std::string& path, int number) {
  if (number == 0) return path;
  const std::size_t folder = path.find_last_of('/') + 1;  // 0 where there is none
  const std::size_t dot = path.find_last_of('.');
  const std::size_t at = dot == path.npos || dot <= folder ? path.size() : dot;
  return fmt::format("{}-{}{}", path.substr(0, at), number, path.substr(at));
}

void TraceFiles::add(Trace trace) {
  ++count_;
  if (files_.json == "-") {
    out_ << to_json(trace) << std::endl;
  } else if (!files_.json.empty()) {
    json_ += to_json(trace) + "\n";
  }
  if (count_ == 1) {
    first_ = std::move(trace);
    return;
  }
  if (count_ == 2) {
    write_pictures(*first_, 1);
    first_.reset();
  }
  write_pictures(trace, count_);
}

void TraceFiles::finish() {
  if (first_) write_pictures(*first_, 0);
  if (count_ > 0 && !files_.json.empty() && files_.json != "-") write(files_.json, json_);
}

void TraceFiles::write_pictures(const Trace& trace, int number) {
  if (!files_.html.empty()) write(numbered(files_.html, number), html_of(trace));
  if (!files_.svg.empty()) write(numbered(files_.svg, number), svg_of(trace, options_));
  if (!files_.png.empty()) write(numbered(files_.png, number), png_of(trace, options_));
}

void TraceFiles::write(const std::string& path, const std::string& content) {
  write_file(path, content);
  err_ << fmt::format("wrote {}\n", path);
}

}  // namespace fovea::cli
