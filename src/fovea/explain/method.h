#pragma once

#include <string>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea {
struct Figure {
  std::string name{};
  double value = 0;
  std::string about{};
};
struct Method {
  std::string name{}, about{};
  bool has_sign = false;
  std::string queries{}, keys{};
  Tensor weights{};
  std::vector<Figure> figures{};
};
}  // namespace fovea
