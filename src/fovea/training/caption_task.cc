#include "fovea/training/caption_task.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/hash.h"
#include "fovea/base/shuffle.h"

namespace fovea {
namespace {

// Every picture once in each epoch.
Buckets order_of(const CaptionData& pictures, const CaptionTaskOptions& o) {
  if (pictures.size() == 0) fail("caption: there are no pictures to learn from");
  return {std::vector<Index>(static_cast<std::size_t>(pictures.size()), 1),
          {.size = o.batch_pictures, .seed = o.seed}};
}

}  // namespace

CaptionTask::CaptionTask(CaptionModel& model, const CaptionData& train, const CaptionData& valid,
                         const CaptionTaskOptions& options)
    : ModelTask(model),
      train_(train),
      valid_(valid),
      options_(options),
      order_(order_of(train, options)) {
  if (valid.size() == 0) fail("caption: there are no pictures for validation");
}

Loss CaptionTask::step(Index batch, Run& run) {
  const std::vector<Index> which = order_.batch(batch);
  std::vector<Words> captions;
  std::vector<Index> picture;
  for (std::size_t p = 0; p < which.size(); ++p) {
    std::vector<std::string> all = train_.captions(which[p]);
    const Index wanted = std::min(std::ssize(all), options_.batch_captions);
    draw_first(std::span(all), wanted, run.random);
    for (Index n = 0; n < wanted; ++n) {
      Words words = model_.words.encode(all[static_cast<std::size_t>(n)]);
      words.resize(std::min(words.size(), static_cast<std::size_t>(options_.longest)));
      captions.push_back(std::move(words));
      picture.push_back(static_cast<Index>(p));
    }
  }
  const CaptionBatch pairs = caption_batch(captions, picture);
  const Var annotations =
      model_.net.annotations(train_.pictures(which, options_.augment ? &run.random : nullptr), run);
  const CaptionLoss loss =
      caption_loss(model_.net, model_.net.read(annotations, pairs, run), pairs, options_.loss);
  backward(loss.total);
  return {loss.cross_entropy, static_cast<double>(pairs.labels.size())};
}

Grade CaptionTask::validate(const std::atomic<bool>* stop) {
  SearchOptions search = options_.search;
  search.stop = stop;
  const CaptionGrades grades = examine(model_, valid_, options_.validation_limit, search);
  if (!grades.scenes) {
    return {grades.bleu.score, "BLEU", fmt::format("{:.1f}", grades.bleu.score),
            grades.bleu.precisions[0]};
  }
  const double pointing = grades.scenes->pointing.share();
  return {grades.scenes->true_captions, "true captions",
          fmt::format("{:.1f} %, pointing {:.1f} %", 100 * grades.scenes->true_captions,
                      100 * pointing),
          pointing};
}

std::map<std::string, std::string> CaptionTask::identity() const {
  const CaptionLossOptions& l = options_.loss;
  return {
      {"model", model_.options_text()},
      {"vocabulary", fmt::format("{:016x}", hash_bytes(model_.words.serialize()))},
      {"data", train_.fingerprint()},
      {"validation", fmt::format("{} of {}, {} beams", options_.validation_limit,
                                 valid_.fingerprint(), options_.search.beams)},
      {"batches", fmt::format("{} pictures, {} captions, longest {}, seed {}{}",
                              options_.batch_pictures, options_.batch_captions, options_.longest,
                              options_.seed, options_.augment ? ", augmented" : "")},
      {"loss", fmt::format("penalty {}, reward {}, entropy {}, smoothing {}, rest {}", l.penalty,
                           l.reward, l.entropy, l.label_smoothing, l.rest)}};
}

}  // namespace fovea
