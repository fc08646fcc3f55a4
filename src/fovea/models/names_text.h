// Names of classes and answers as the text that a model file keeps: one a line.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace fovea {

inline std::string names_to_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return text;
}

inline std::vector<std::string> names_from_text(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

}  // namespace fovea
