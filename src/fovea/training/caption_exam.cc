#include "fovea/training/caption_exam.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "fovea/base/error.h"

namespace fovea {
namespace {

constexpr Index kCaptionedTogether = 64;  // pictures at a time

// Per picture, where each of its words looked most.
std::vector<std::vector<Box>> looks_of(const Captioner& net, const Tensor& annotations,
                                       std::span<const Words> captions,
                                       std::span<const Box> cells) {
  const auto decoding = net.decode(annotations, {.looks = true});
  std::vector<std::vector<Box>> looks(captions.size());
  std::size_t longest = 0;
  for (const Words& words : captions) longest = std::max(longest, words.size());
  std::vector<std::int32_t> last(captions.size(), kBeginId);
  for (std::size_t t = 0; t < longest; ++t) {
    const Tensor weights = decoding->step(Ids(last)).looks[0].weights.packed();
    for (std::size_t i = 0; i < captions.size(); ++i) {
      const bool more = t < captions[i].size();
      if (more) {
        looks[i].push_back(peak_of(weights.flat().subspan(i * cells.size(), cells.size()), cells));
      }
      last[i] = more ? captions[i][t] : kEndId;
    }
  }
  return looks;
}

struct SceneCount {
  Index captions = 0, true_captions = 0, statements = 0, true_statements = 0;
  std::map<std::string, Pointing> pointing{};

  void add_truth(const football::Scene& scene, const std::string& caption) {
    const football::CaptionTruth truth = football::caption_truth(scene, caption);
    ++captions;
    true_captions += truth.holds() ? 1 : 0;
    statements += truth.statements;
    true_statements += truth.true_ones;
  }

  // word_of, looks: of each piece.
  void add_pointing(const football::SceneCaption& caption, std::span<const Index> word_of,
                    std::span<const Box> looks) {
    for (std::size_t i = 0; i < looks.size(); ++i) {
      if (word_of[i] < 0 || word_of[i] >= std::ssize(caption.words)) continue;
      const football::GroundedWord& word = caption.words[static_cast<std::size_t>(word_of[i])];
      if (word.boxes.empty()) continue;
      Pointing& of = pointing[word.text];
      ++of.words;
      of.right += points_into(looks[i], word.boxes) ? 1 : 0;
    }
  }

  SceneGrades grades() const {
    const auto share = [](Index part, Index all) {
      return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
    };
    Pointing all;
    for (const auto& [word, of] : pointing) {
      all.right += of.right;
      all.words += of.words;
    }
    return {share(true_captions, captions), share(true_statements, statements), all, pointing};
  }
};

// references[r][i]: the caption r of picture i, "" where there are fewer.
std::vector<std::vector<std::string>> references_of(const CaptionData& data, Index count) {
  std::vector<std::vector<std::string>> references;
  for (Index i = 0; i < count; ++i) {
    std::vector<std::string> captions = data.captions(i);
    if (captions.size() > references.size()) {
      references.resize(captions.size(), std::vector<std::string>(static_cast<std::size_t>(count)));
    }
    for (std::size_t r = 0; r < captions.size(); ++r) {
      references[r][static_cast<std::size_t>(i)] = std::move(captions[r]);
    }
  }
  return references;
}

// BLEU-n: brevity penalty and the geometric mean of the first n precisions.
std::array<double, kBleuOrder> every_bleu(const BleuScore& bleu) {
  std::array<double, kBleuOrder> all{};
  double sum = 0;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    sum += std::log(bleu.precisions[n]);
    all[n] = bleu.brevity_penalty * std::exp(sum / static_cast<double>(n + 1));
  }
  return all;
}

}  // namespace

CaptionGrades examine(const CaptionModel& model, const CaptionData& data, Index count,
                      const SearchOptions& search) {
  count = std::min(count, data.size());
  CaptionGrades grades;
  SceneCount scenes;
  const auto start = std::chrono::steady_clock::now();
  for (Index begin = 0; begin < count; begin += kCaptionedTogether) {
    std::vector<Index> which(static_cast<std::size_t>(std::min(kCaptionedTogether, count - begin)));
    std::iota(which.begin(), which.end(), begin);
    const NoGrad guard;
    Run run;
    const Tensor pictures = data.pictures(which, nullptr);
    const Tensor annotations = model.net.annotations(pictures, run).value();
    std::vector<Words> said;
    for (auto& best : search_captions(model.net, annotations, search)) {
      said.push_back(std::move(best[0].words));
    }
    std::vector<std::vector<Box>> looks;
    for (std::size_t i = 0; i < said.size(); ++i) {
      grades.captions.push_back(model.words.decode(said[i]));
      const auto scene = data.scene(which[i]);
      if (!scene) continue;
      scenes.add_truth(*scene, grades.captions.back());
      if (looks.empty()) {
        const Index width = pictures.shape(3), height = pictures.shape(2);
        const ImageEncoder::Grid grid = model.net.encoder().grid_of(width, height);
        looks = looks_of(model.net, annotations, said,
                         region_boxes(grid.rows, grid.columns, width, height));
      }
      scenes.add_pointing(football::grounded(*scene, grades.captions.back()),
                          model.words.words(said[i]).word_of, looks[i]);
    }
  }
  grades.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  grades.bleu = bleu(grades.captions, references_of(data, count), {.lower_case = true});
  grades.bleu_of = every_bleu(grades.bleu);
  if (scenes.captions > 0) grades.scenes = scenes.grades();
  return grades;
}

}  // namespace fovea
