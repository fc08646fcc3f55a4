// Reading an image by looking at parts of it, one after the other: the recurrent attention model
// (Mnih et al. 2014), and the same network with other ways to look.
#pragma once

#include <array>
#include <vector>

#include "fovea/attention/glimpse.h"
#include "fovea/autograd/run.h"
#include "fovea/layers/linear.h"
#include "fovea/layers/parameters.h"

namespace fovea {

enum class Looking {
  kPlaces,    // a place is drawn from a normal distribution around what the network says (RAM)
  kHard,      // one of a grid of tiles is drawn
  kSoft,      // all tiles, each by its probability: the expectation of kHard's glimpse
  kGaussian,  // a smooth window that gradients move (DRAW)
  kRandom,    // anywhere: what choosing is worth
  kWhole,     // the image at once, through two layers: what glimpses are worth
};
constexpr std::array<const char*, 6> kLookingNames = {"places",   "hard",   "soft",
                                                      "gaussian", "random", "whole"};

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
};

// How a batch was read.
struct GlimpseReading {
  Var logits;                   // [batch, class]
  std::vector<Tensor> places;   // of each glimpse, [batch, 2]
  std::vector<Tensor> beliefs;  // probabilities after each glimpse, [batch, class], if asked for
  Var log_probability;          // [batch, choice]: of what was drawn; none where nothing is
  Var baseline;                 // [batch, choice]: the reward that is to be expected
  Var entropy;                  // of the choices, one number; none where nothing is drawn
};

// Gradient routes, as the paper declares them: cross-entropy trains all but the chooser and the
// baseline; neither lets a gradient into the state it reads, and no gradient passes a place.
class GlimpseReader {
 public:
  GlimpseReader(const GlimpseReaderOptions& options, Random& random);

  // images [batch, channel, height, width]. While training, places are drawn; else the likeliest is
  // taken, and only the first is drawn from run.random.
  GlimpseReading read(const Tensor& images, Run& run, bool beliefs = false) const;

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

  Var see(const Var& patch, const Var& place) const;  // the glimpse network
  Look first_look(const Tensor& images, Run& run) const;
  Look next_look(const Tensor& images, const Var& state, Run& run) const;
  Look look_at(const Tensor& images, const Tensor& places) const;
  Look look_softly(const Tensor& images, const Var& logits) const;
  Look look_through_window(const Tensor& images, const Var& raw) const;
  Tensor tile_places() const;  // [tiles * tiles, 2]

  GlimpseReaderOptions options_;
  Linear patch_, place_, what_, where_;
  Linear core_glimpse_, core_state_;
  Linear chooser_hidden_, chooser_;  // of the next place
  Linear baseline_;
  Linear output_;
};

// The sum over the batch that training makes small: cross-entropy; where places are drawn also the
// score-function term (reward 1 for a right answer) with its baseline, the baseline's squared
// error, and `entropy_bonus` times the entropy of the choices.
struct GlimpseLoss {
  Var total;
  double cross_entropy = 0, reward = 0;  // sums over the batch
};
GlimpseLoss glimpse_loss(const GlimpseReading& reading, const Ids& labels, float entropy_bonus = 0);

// Deviation of the places of a batch's glimpses around their means, averaged: 0 where a policy has
// collapsed to always looking at the same spots.
double spread_of(const std::vector<Tensor>& places);

}  // namespace fovea
