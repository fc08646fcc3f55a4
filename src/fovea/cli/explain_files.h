// The files that fovea explain writes: pictures of Traces, and the Traces themselves.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "fovea/explain/picture.h"

namespace fovea::cli {

struct ExplainFiles {
  std::string html{}, svg{}, png{}, json{};  // "" for none; json may be "-"

  bool any() const { return !(html + svg + png + json).empty(); }
  bool pictures() const { return !(svg + png).empty(); }
};

// Takes Traces one after the other. One Trace goes to the names as they are; of several, each has
// its number in the name: map-1.svg, map-2.svg. All JSON goes to one file, a Trace a line.
class TraceFiles {
 public:
  TraceFiles(const ExplainFiles& files, const PictureOptions& options, std::ostream& out,
             std::ostream& err)
      : files_(files), options_(options), out_(out), err_(err) {}

  void add(Trace trace);
  void finish();  // after the last
  int count() const { return count_; }

 private:
  void write_pictures(const Trace& trace, int number);
  void write(const std::string& path, const std::string& content);

  const ExplainFiles& files_;
  const PictureOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  std::optional<Trace> first_{};  // waits until it is known whether there are more
  std::string json_{};
  int count_ = 0;
};

// "map.svg" -> "map-2.svg"; 0 leaves it as it is.
std::string numbered(const std::string& path, int number);

}  // namespace fovea::cli
