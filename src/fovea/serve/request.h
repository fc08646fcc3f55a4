// Requests: the bodies that the API takes, read strictly. Whatever is not as docs/api.md says is a
// Refusal that names the field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

constexpr Index kMostBeams = 32;
constexpr Index kMostPictures = 24;
constexpr Index kMostPictureSize = 256;  // pixels each way
// Of one array of /api/attend, given or made.
constexpr Index kMostNumbers = 65536;
constexpr Index kMostSamples = 100'000;
// What the samples may cost: samples * queries * the largest of keys and numbers of a vector.
constexpr Index kMostSampledNumbers = 20'000'000;

// What a model is asked about: a sentence, or a picture and perhaps a question.
struct Subject {
  std::string model{};                    // "": the first one
  std::optional<std::string> input{};     // the sentence
  std::optional<std::string> image{};     // a name of a built-in picture, or a file in base64
  std::optional<std::string> question{};  // about the picture
};

struct RunRequest {
  Subject subject{};
  Index beams = 5, best = 1;
  bool searches = false;  // one of both was given
};

struct ExplainRequest {
  Subject subject{};
  std::vector<std::string> methods{};
  bool check = false, states = false;
  Index beams = 5;
  bool searches = false;
};

struct PicturesRequest {
  std::string world = "scene";
  Index size = 64, first = 0, count = 12;
};

struct Matrix {
  Index rows = 0, columns = 0;
  std::vector<float> values{};
};

struct AttendRequest {
  Matrix query{}, key{}, value{};
  std::string score = "scaled-dot";
  std::optional<float> scale{};
  std::optional<Matrix> matrix{};
  std::vector<float> weight{};  // empty: not given
  bool causal = false;
  std::optional<std::pair<Index, Index>> window{};  // keys before, keys after
  std::string normalizer = "softmax";
  float temperature = 1;
  Index samples = 0;
  std::uint64_t seed = 1;
  bool gradient = false;
};

RunRequest parse_run_request(std::string_view body);
ExplainRequest parse_explain_request(std::string_view body);
PicturesRequest parse_pictures_request(std::string_view body);
AttendRequest parse_attend_request(std::string_view body);

}  // namespace fovea
