#include "fovea/models/classifier.h"

#include "fovea/base/error.h"

namespace fovea {

Classifier::Classifier(const ClassifierOptions& o, Random& random)
    : options_(o), encoder_(o.image, random) {
  encoder_.grid_of(o.width, o.height);
  if (o.classes < 2)
    fail("classifier: {} classes; there must be something to tell apart", o.classes);
  if (o.self_attention) self_ = ImageSelfAttention(encoder_.dim(), random);
  output_ = Linear(encoder_.dim(), o.classes, random);
}

Classifying Classifier::operator()(const Var& images, Run& run) const {
  Classifying result{.logits = {}, .grid = encoder_(images, run)};
  Var seen = result.grid;
  if (options_.self_attention) {
    result.look = self_.attended(seen);
    seen = self_.project(result.look, seen);
  }
  result.logits = output_(mean(regions_of(seen), 1));
  return result;
}

}  // namespace fovea
