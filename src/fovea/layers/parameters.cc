#include "fovea/layers/parameters.h"

#include "fovea/base/error.h"

namespace fovea {

Index count_numbers(const std::vector<Parameter>& parameters) {
  Index count = 0;
  for (const Parameter& parameter : parameters) count += parameter.var.value().size();
  return count;
}

void load_tensors(const std::string& where, const NamedTensors& from, NamedTensors to) {
  for (const auto& [name, tensor] : to) {
    const auto found = from.find(name);
    if (found == from.end())
      fail("{}: tensor '{}' is missing; is it a file of another model?", where, name);
    if (!(found->second.shape() == tensor.shape())) {
      fail("{}: tensor '{}' has shape {} but the model needs {}", where, name,
           found->second.shape().text(), tensor.shape().text());
    }
  }
  for (const auto& [name, tensor] : from) {
    if (!to.contains(name))
      fail("{}: tensor '{}' is not part of the model; is it a file of another model?", where, name);
  }
  for (auto& [name, tensor] : to) copy_into(from.at(name), tensor);
}

}  // namespace fovea
