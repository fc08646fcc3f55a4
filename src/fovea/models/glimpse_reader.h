// Reading an image by looking at parts of it, one after the other: the recurrent attention model
// (Mnih et al. 2014), and the same network with other ways to look.
#pragma once

#include <vector>

#include "fovea/attention/glimpse.h"
#include "fovea/autograd/run.h"
#include "fovea/base/enum_names.h"
#include "fovea/layers/dropout.h"
#include "fovea/layers/linear.h"
#include "fovea/layers/parameters.h"
#include "fovea/models/options_text.h"

namespace fovea {

enum class Looking {
  kPlaces,    // a place is drawn from a normal distribution around what the network says (RAM)
  kHard,      // one of a grid of tiles is drawn
  kSoft,      // all tiles, each by its probability: the expectation of kHard's glimpse
  kGaussian,  // a smooth window that gradients move (DRAW)
  kRandom,    // anywhere: what choosing is worth
  kWhole,     // the image at once, through two layers: what glimpses are worth
};
constexpr std::array<const char*, 6> names_of(Looking) {
  return {"places", "hard", "soft", "gaussian", "random", "whole"};
}

struct GlimpseReaderOptions {
  Looking looking = Looking::kPlaces;
  Retina retina{};
  Index glimpses = 6;
  Index channels = 1, classes = 10;
  Index width = 28, height = 28;  // trained with; others can be read too, but not by kWhole
  Index patch_dim = 128, place_dim = 128, glimpse_dim = 256, hidden = 256;
  Index tiles = 5;           // each way, of kHard and kSoft
  float sigma = 0.1f;        // of a place, of half the image
  bool from_centre = false;  // the first place; else it is drawn from the whole image
  float dropout = 0;         // of what a glimpse showed, and of the state that answers
};

void fields(auto& o, auto&& field) requires is_options<GlimpseReaderOptions, decltype(o)> {
  field("looking", o.looking);
  field("glimpse_size", o.retina.size);
  field("scales", o.retina.scales);
  field("glimpses", o.glimpses);
  field("channels", o.channels);
  field("classes", o.classes);
  field("width", o.width);
  field("height", o.height);
  field("patch_dim", o.patch_dim);
  field("place_dim", o.place_dim);
  field("glimpse_dim", o.glimpse_dim);
  field("hidden", o.hidden);
  field("tiles", o.tiles);
  field("sigma", o.sigma);
  field("from_centre", o.from_centre);
  field("dropout", o.dropout);
}

// What is asked of a reading, beside the answer.
struct GlimpseRequest {
  bool beliefs = false;  // and tiles and sides: what to draw
  bool draw = false;     // choices are drawn outside training too
};

// How a batch was read.
struct GlimpseReading {
  Var logits;                   // [batch, class]
  Var earlier;                  // the same before the last glimpse, while training: one glimpse
                                // behind the other, [glimpse * batch, class]
  std::vector<Tensor> places;   // of each glimpse, [batch, 2]
  std::vector<Tensor> beliefs;  // probabilities after each glimpse, [batch, class], if asked for
  std::vector<Tensor> tiles;    // probabilities of tiles, [batch, tile], if asked for and there are
                                // any; 0 for the first glimpse, which is not chosen
  std::vector<Tensor> sides;  // pixels that the finest patch covers each way, [batch], if asked for
  Var log_probability;        // [batch, choice]: of what was drawn; none where nothing is
  Var baseline;               // [batch, choice]: the reward that is to be expected
  Var entropy;                // of the choices, one number; none where nothing is drawn
};

// Gradient routes, as the paper declares them: cross-entropy trains all but the chooser and the
// baseline; neither lets a gradient into the state it reads, and no gradient passes a place.
class GlimpseReader {
 public:
  GlimpseReader(const GlimpseReaderOptions& options, Random& random);

  // images [batch, channel, height, width]. While training, places are drawn; else the likeliest is
  // taken, and only the first is drawn from run.random.
  GlimpseReading read(const Var& images, Run& run, GlimpseRequest request = {}) const;
  bool draws(GlimpseRequest request) const;  // whether two such readings can differ
  Tensor tile_places() const;                // their centres, [tiles * tiles, 2]

  const GlimpseReaderOptions& options() const { return options_; }

  void visit(auto&& member) {
    member("patch", patch_);
    member("place", place_);
    member("what", what_);
    member("where", where_);
    member("core_glimpse", core_glimpse_);
    member("core_state", core_state_);
    member("chooser_hidden", chooser_hidden_);
    member("chooser", chooser_);
    member("baseline", baseline_);
    member("output", output_);
  }

 private:
  struct Look;  // one glimpse

  struct Scene;  // what there is to look at

  Var see(const Var& patch, const Var& place) const;  // the glimpse network
  Look first_look(const Scene& scene, Run& run) const;
  Look next_look(const Scene& scene, const Var& state, Run& run) const;
  Look look_at(const Scene& scene, const Tensor& places) const;
  Look look_at_place(const Scene& scene, const Var& chosen, Run& run) const;
  Look look_at_tile(const Scene& scene, const Var& logits, Run& run) const;
  Look look_softly(const Scene& scene, const Var& logits) const;
  Look look_through_window(const Scene& scene, const Var& raw) const;
  Scene scene_of(const Var& images) const;
  GlimpseReading read_whole(const Var& images, Run& run, GlimpseRequest request) const;
  GlimpseReading read_in_glimpses(const Var& images, Run& run, GlimpseRequest request) const;
  GlimpseReader prepared() const;  // the same, its weights laid out once for all glimpses

  GlimpseReaderOptions options_;
  Dropout drop_;
  Linear patch_, place_, what_, where_;
  Linear core_glimpse_, core_state_;
  Linear chooser_hidden_, chooser_;  // of the next place
  Linear baseline_;
  Linear output_;
};

enum class Reward {
  kRight,       // 1 for a right answer, 0 for a wrong one (RAM)
  kLikelihood,  // log-probability of the right class, -4 at least: goes on to teach where to look
                // when nearly all answers are right
};
constexpr std::array<const char*, 2> names_of(Reward) { return {"right", "likelihood"}; }

struct GlimpseLossOptions {
  Reward reward = Reward::kRight;
  float entropy_bonus = 0;
};

// The sum over the batch that training makes small: cross-entropy, also, with little weight, of
// what would have been said before the last glimpse; where places are drawn also the score-function
// term with its baseline, the baseline's squared error, and `entropy_bonus` times the entropy of
// the choices.
struct GlimpseLoss {
  Var total;
  double cross_entropy = 0, reward = 0;  // sums over the batch
};
GlimpseLoss glimpse_loss(const GlimpseReading& reading, const Ids& labels,
                         const GlimpseLossOptions& options = {});

// Deviation of the places of a batch's glimpses around their means, averaged: 0 where a policy has
// collapsed to always looking at the same spots.
double spread_of(const std::vector<Tensor>& places);

}  // namespace fovea
