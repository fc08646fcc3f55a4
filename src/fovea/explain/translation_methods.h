// Every method that shows where a translator looks, by name, as a map of one translation.
#pragma once

#include <string>
#include <vector>

#include "fovea/attention/trace.h"
#include "fovea/explain/said.h"
#include "fovea/models/soft_alignment.h"
#include "fovea/models/translator_options.h"

namespace fovea {

struct MethodOptions {
  LookChoice look{};       // whose attention counts, where a method takes some of it
  Index steps = 16;        // of integrated gradients
  Index samples = 16;      // of SmoothGrad
  std::uint64_t seed = 1;  // of its noise
};

// All names, and those that make sense for a model.
std::vector<std::string> method_names();
std::vector<std::string> method_names(const TranslatorOptions& model);
// What to show when nothing was asked for: attention; of a model without, the sequential Jacobian.
std::string default_method(const TranslatorOptions& model);

// "saliency,occlusion" or "all", as text or as a list: the methods of a model, each once. Fails on
// a name that it does not have.
std::vector<std::string> parse_methods(const std::string& names, const TranslatorOptions& model);
std::vector<std::string> checked_methods(const std::vector<std::string>& names,
                                         const TranslatorOptions& model);

// A map [target + 1, source + 1] of pieces, each with its </s>, for every name.
std::vector<Trace::Method> explain(const Said& said, const std::vector<std::string>& names,
                                   const MethodOptions& options = {});

// [method, method]: how alike they order the source for each output; empty with fewer than two.
Tensor correlation(const std::vector<Trace::Method>& methods);

}  // namespace fovea
