// Pictures of the built-in worlds by name, for those who have none at hand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/io/image.h"

namespace fovea {

struct NamedBox {
  std::string name{};
  Box box{};
};

struct WorldQuestion {
  std::string text{}, answer{};
  std::vector<Box> boxes{};  // where the answer is to be seen
};

struct WorldPicture {
  Image image{};
  std::vector<NamedBox> truth{};           // what is where
  Box subject{};                           // what the whole picture is about: the digit, the kicker
  std::string about{};                     // what can be said of it
  std::vector<WorldQuestion> questions{};  // that can be asked about it, each once
};

// "scene:17" is a football scene, "digit:17" a digit; from 60 pixels on it lies somewhere among 4
// pieces of others. All are held out from training. Nothing where the name is none of these.
std::optional<WorldPicture> world_picture(std::string_view name, Index size);

// The one of its questions that is asked, whatever its capitals, marks and spaces; null: none.
const WorldQuestion* known_question(const WorldPicture& picture, std::string_view asked);
std::string plain_question(std::string_view question);  // in small letters, without marks

// Where the answer to a question is to be seen, as far as that is known; "": the subject.
std::vector<Box> boxes_about(const WorldPicture& picture, std::string_view question);

}  // namespace fovea
