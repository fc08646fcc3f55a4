#include "fovea/models/captioner.h"

#include <algorithm>
#include <map>

#include "fovea/base/parallel.h"
#include "fovea/data/tokenizer.h"
#include "fovea/layers/layers_test_tools.h"
#include "fovea/models/estimate_test_tools.h"
#include "fovea/models/search.h"

namespace fovea {
namespace {

constexpr Index kCaptionVocab = 7, kRegions = 3, kDim = 3;

CaptionerOptions tiny(CaptionAttention attention) {
  return {.attention = attention,
          .features = true,
          .feature_dim = kDim,
          .vocab = kCaptionVocab,
          .embedding_dim = 3,
          .hidden = 2,
          .attention_dim = 4};
}

const std::vector<Words> kCaptions = {{4}, {5, 4, 6}, {6, 5}};
const std::vector<Index> kPictures = {1, 0, 1};

// --- the paper's formulas, for any number type

template <class T>
using Named = std::map<std::string, reference::Array<T>>;

template <class T>
std::vector<T> times(const std::vector<T>& x, const Named<T>& p, const std::string& name) {
  const reference::Array<T>& w = p.at(name + ".weight");
  const auto bias = p.find(name + ".bias");
  std::vector<T> y;
  for (Index o = 0; o < w.shape[1]; ++o) {
    T sum = bias == p.end() ? T(0) : bias->second[o];
    for (Index i = 0; i < w.shape[0]; ++i) sum += x[static_cast<std::size_t>(i)] * w.at(i, o);
    y.push_back(sum);
  }
  return y;
}

template <class T>
std::vector<T> tanh_of(std::vector<T> x) {
  for (T& v : x) v = std::tanh(v);
  return x;
}

template <class T>
std::vector<T> softmax_of(std::vector<T> x) {
  T total(0);
  for (T& v : x) total += v = std::exp(v);
  for (T& v : x) v /= total;
  return x;
}

template <class T>
std::vector<T> row_of(const reference::Array<T>& x, Index row) {
  const Index size = x.size() / x.shape[0];
  return {&x[row * size], &x[row * size] + size};
}

template <class T>
T sigmoid_of(const T& x) {
  return T(1) / (T(1) + std::exp(-x));
}

// -log p of a caption with its doubly stochastic penalty and the way of its eyes, from regions
// [region, dim].
template <class T>
T loss_of(const Named<T>& p, const std::vector<T>& regions, const Words& caption) {
  const auto region = [&](Index r) {
    return std::vector<T>(regions.begin() + r * kDim, regions.begin() + (r + 1) * kDim);
  };
  std::vector<T> middle(kDim, T(0)), looked(kRegions, T(0)), last;
  for (Index r = 0; r < kRegions; ++r) {
    for (std::size_t d = 0; d < kDim; ++d)
      middle[d] += region(r)[d] / reference::number<T>(kRegions);
  }
  const auto start = [&](const std::string& name) {
    return tanh_of(times(tanh_of(times(middle, p, name + ".inner")), p, name + ".outer"));
  };
  const bool recalls = p.contains("cell.input");
  const auto units = static_cast<std::size_t>(p.at("cell.recurrent").shape[0]);
  std::vector<T> h(units, T(0)), c(units, T(0));
  if (recalls) {
    h = start("start_state");
    c = start("start_memory");
  }
  const auto move = [&](const std::vector<T>& word, const std::vector<T>& z) {
    std::vector<T> gates = times(word, p, "word");
    const auto add = [&](const std::string& name, const std::vector<T>& x) {
      const reference::Array<T>& w = p.at("cell." + name);
      for (std::size_t g = 0; g < gates.size(); ++g) {
        gates[g] += p.at("cell." + name + "_bias")[static_cast<Index>(g)];
        for (std::size_t i = 0; i < x.size(); ++i) gates[g] += x[i] * w.at(i, g);
      }
    };
    if (recalls) add("input", z);
    add("recurrent", h);
    for (std::size_t i = 0; i < units; ++i) {
      c[i] = sigmoid_of(gates[units + i]) * c[i] +
             sigmoid_of(gates[i]) * std::tanh(gates[2 * units + i]);
      h[i] = sigmoid_of(gates[3 * units + i]) * std::tanh(c[i]);
    }
  };
  T loss(0);
  for (std::size_t t = 0; t <= caption.size(); ++t) {
    const std::vector<T> word = row_of(p.at("words.table"), t == 0 ? kBeginId : caption[t - 1]);
    if (!recalls) move(word, {});
    // e_i = w' tanh(W h + U a_i), alpha = softmax(e), z = beta sum_i alpha_i a_i
    std::vector<T> query = times(h, p, "attention.query");
    if (p.contains("word_query.weight")) {
      const std::vector<T> asked = times(word, p, "word_query");
      for (std::size_t i = 0; i < query.size(); ++i) query[i] += asked[i];
    }
    std::vector<T> scores;
    for (Index r = 0; r < kRegions; ++r) {
      const std::vector<T> key = times(region(r), p, "attention.key");
      scores.push_back(reference::additive(query.data(), key.data(),
                                           p.at("attention.weight").data.data(), std::ssize(key)));
    }
    const std::vector<T> weights = softmax_of(scores);
    const T beta = sigmoid_of(times(h, p, "gate")[0]);
    std::vector<T> z(kDim, T(0));
    for (Index r = 0; r < kRegions; ++r) {
      const auto at = static_cast<std::size_t>(r);
      looked[at] += weights[at];
      const T way = last.empty() ? T(0) : weights[at] - last[at];
      loss += reference::number<T>(0.25) * way * way;
      for (std::size_t d = 0; d < kDim; ++d) z[d] += beta * weights[at] * region(r)[d];
    }
    last = weights;
    if (recalls) move(word, z);
    // p = softmax(L_o (E y + L_h h + L_z z))
    std::vector<T> deep = times(h, p, "speak_state");
    const std::vector<T> seen = times(z, p, "speak_context");
    for (std::size_t i = 0; i < deep.size(); ++i) deep[i] += word[i] + seen[i];
    const std::vector<T> said = softmax_of(times(deep, p, "output"));
    const auto label = static_cast<std::size_t>(t == caption.size() ? kEndId : caption[t]);
    loss -= std::log(said[label]);
  }
  for (const T& sum : looked) loss += reference::number<T>(0.5) * (T(1) - sum) * (T(1) - sum);
  return loss;
}

struct CaptionerKind {
  const char* name;
  bool word_asks, recalls;
};
class CaptionerFormulas : public testing::TestWithParam<CaptionerKind> {};

TEST_P(CaptionerFormulas, AreThePapersAndSoAreTheirDerivatives) {
  Random random{.seed = 3};
  CaptionerOptions options = tiny(CaptionAttention::kSoft);
  options.word_asks = GetParam().word_asks;
  options.recalls = GetParam().recalls;
  Captioner model(options, random);
  std::vector<std::string> names;
  std::vector<Tensor> inputs = {random_tensor({2, kRegions, kDim})};
  for (const Parameter& p : parameters(model)) {
    names.push_back(p.name);
    inputs.push_back(random_tensor(p.var.shape(), -1, 1, names.size()));
  }
  expect_right(
      [&](In in) {
        Captioner copy = model;
        std::size_t next = 1;
        detail::visit_member("", copy, [&](const std::string&, auto& member) {
          if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Var>) {
            if (member) member = in[next++];
          }
        });
        fovea::Run run{.training = true, .random = {}};
        const CaptionBatch batch = caption_batch(kCaptions, kPictures);
        return caption_loss(copy, copy.read(in[0], batch, run), batch,
                            {.penalty = 0.5f, .rest = 0.25f})
            .total;
      },
      [&](const auto& in) {
        using T = std::decay_t<decltype(in[0][0])>;
        Named<T> p;
        for (std::size_t i = 0; i < names.size(); ++i) p.emplace(names[i], in[i + 1]);
        reference::Array<T> loss{Shape{}};
        for (std::size_t i = 0; i < kCaptions.size(); ++i) {
          loss[0] += loss_of(p, row_of(in[0], kPictures[i]), kCaptions[i]);
        }
        return loss;
      },
      inputs);
}

INSTANTIATE_TEST_SUITE_P(All, CaptionerFormulas,
                         testing::Values(CaptionerKind{"word_asks", true, true},
                                         CaptionerKind{"state_asks", false, true},
                                         CaptionerKind{"recalls_words_alone", true, false}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(CaptionBatch, HasTheLongestFirstAndNoPadding) {
  const CaptionBatch batch = caption_batch(kCaptions, kPictures);
  const auto list = [](const Ids& ids) {
    return std::vector<std::int32_t>(ids.values().begin(), ids.values().end());
  };
  using List = std::vector<std::int32_t>;
  EXPECT_EQ(list(batch.picture), (List{0, 1, 1}));
  EXPECT_EQ(batch.rows, (std::vector<Index>{3, 3, 2, 1}));
  EXPECT_EQ(list(batch.input), (List{kBeginId, kBeginId, kBeginId, 5, 6, 4, 4, 5, 6}));
  EXPECT_EQ(list(batch.labels), (List{5, 6, 4, 4, 5, kEndId, 6, kEndId, kEndId}));
  EXPECT_EQ(list(batch.caption), (List{0, 1, 2, 0, 1, 2, 0, 1, 0}));
}

class EveryCaptionAttention : public testing::TestWithParam<CaptionAttention> {};

class EveryCaptionMemory : public testing::TestWithParam<std::tuple<CaptionAttention, bool>> {};

TEST_P(EveryCaptionMemory, SaysTheSameWordByWordAsAllAtOnce) {
  Random random{.seed = 3};
  CaptionerOptions options = tiny(std::get<0>(GetParam()));
  options.recalls = std::get<1>(GetParam());
  const Captioner model(options, random);
  const Tensor regions = random_tensor({2, kRegions, kDim});
  fovea::Run run;
  const std::vector<Words> captions = {{5, 4, 6}, {6, 5, 5}};
  const CaptionBatch batch = caption_batch(captions, std::vector<Index>{0, 1});
  const CaptionReading all = model.read(regions, batch, run);
  const auto decoding = model.decode(regions, {.looks = true});
  for (Index t = 0; t < 4; ++t) {
    const DecodingStep step = decoding->step(Ids({batch.input[2 * t], batch.input[2 * t + 1]}));
    expect_close(step.next.logits(), all.logits.value().slice(0, 2 * t, 2 * t + 2), 1e-5);
    expect_close(step.looks[0].weights, all.weights.value().slice(0, 2 * t, 2 * t + 2), 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryCaptionMemory,
                         testing::Combine(testing::Values(CaptionAttention::kSoft,
                                                          CaptionAttention::kHard),
                                          testing::Bool()));

TEST_P(EveryCaptionAttention, ACaptionIsTheSameAloneAndAmongOthers) {
  Random random{.seed = 3};
  const Captioner model(tiny(GetParam()), random);
  const Tensor regions = random_tensor({4, kRegions, kDim});
  const SearchOptions options{.beams = 3, .n_best = 3};
  const auto found = [&](const Tensor& some) {
    std::vector<std::unique_ptr<Decoding>> decodings;
    decodings.push_back(model.decode(some, {}));
    const std::vector<SearchStart> starts(static_cast<std::size_t>(some.shape(0)), {.longest = 6});
    return search(std::move(decodings), starts, options);
  };
  const auto together = found(regions);
  for (Index i = 0; i < 4; ++i) {
    const auto alone = found(regions.slice(0, i, i + 1));
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(together[static_cast<std::size_t>(i)][n].words, alone[0][n].words);
    }
  }
}

TEST_P(EveryCaptionAttention, OneThreadAndTwoReadTheSame) {
  CaptionerOptions options = tiny(GetParam());
  options.hidden = options.attention_dim = 64;
  const auto gradients_of = [&](int count) {
    set_threads(count);
    Random random{.seed = 1};
    Captioner model(options, random);
    fovea::Run run{.training = true, .random = {.seed = 2}};
    std::vector<Words> captions;
    std::vector<Index> pictures;
    for (Index i = 0; i < 40; ++i) {
      captions.emplace_back(static_cast<std::size_t>(3 + i % 5),
                            4 + static_cast<std::int32_t>(i % 3));
      pictures.push_back(i / 2);
    }
    const CaptionBatch batch = caption_batch(captions, pictures);
    const Tensor regions = random_tensor({20, kRegions, kDim});
    backward(caption_loss(model, model.read(regions, batch, run), batch, {}).total);
    std::vector<float> all;
    for (const Parameter& p : parameters(model)) {
      const std::vector<float> one = p.var.grad().values();
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  };
  const int before = threads();
  const auto one = gradients_of(1), two = gradients_of(2);
  set_threads(before);
  EXPECT_EQ(one, two);
}

INSTANTIATE_TEST_SUITE_P(All, EveryCaptionAttention,
                         testing::Values(CaptionAttention::kSoft, CaptionAttention::kHard),
                         [](const auto& test) { return name_of(test.param); });

// One word and </s>, three regions: all nine ways to look can be followed. Of a state that recalls
// looks, and of one that does not.
class DrawnRegions : public testing::TestWithParam<bool> {
 protected:
  CaptionReading reading_of(std::uint64_t seed) {
    fovea::Run run{.training = true, .random = {.seed = seed}};
    return model_.read(regions_, batch_, run);
  }

  std::vector<double> gradient() {
    std::vector<double> all;
    for (const float g : weight_.grad().values()) all.push_back(static_cast<double>(g));
    weight_.clear_grad();
    return all;
  }

  // Of E[log p(caption)], by its definition: sum over ways of p(way) log p(caption | way).
  std::vector<double> exact() {
    std::map<std::pair<int, int>, Var> terms;
    for (std::uint64_t seed = 0; terms.size() < 9; ++seed) {
      const CaptionReading r = reading_of(seed);
      if (r.drawn.data()[0] == 0) continue;
      const Var p = exp(sum(pick(r.log_weights, r.region)));
      terms[{r.region[0], r.region[1]}] = p * sum(pick(log_softmax(r.logits), batch_.labels));
    }
    for (const auto& term : terms) backward(term.second);
    return gradient();
  }

  // Without a baseline, or with both: softly read for the word itself, -2 for the one behind it.
  Estimate estimate(bool calmed, int samples) {
    std::uint64_t seed = 1000;
    return estimate_of(samples, [&] {
      CaptionReading r = reading_of(seed++);
      while (r.drawn.data()[0] == 0) r = reading_of(seed++);
      model_.baseline().data()[0] = calmed ? -2.0f : 0.0f;
      if (!calmed) r.softly = Tensor::zeros(r.softly.shape());
      backward(-caption_loss(model_, r, batch_, {.penalty = 0, .entropy = 0}).total);
      return gradient();
    });
  }

  Captioner model_ = [] {
    Random random{.seed = 11};
    CaptionerOptions options = tiny(CaptionAttention::kHard);
    options.recalls = GetParam();
    return Captioner(options, random);
  }();
  Var weight_ = [this] {
    for (const Parameter& p : parameters(model_)) {
      if (p.name == "attention.weight") return p.var;
    }
    return Var();
  }();
  Tensor regions_ = random_tensor({1, kRegions, kDim}, -3, 3);
  CaptionBatch batch_ = caption_batch(std::vector<Words>{{5}}, std::vector<Index>{0});
};

TEST_P(DrawnRegions, SampledGradientIsTheExactOneInTheMeanAndABaselineCalmsIt) {
  const std::vector<double> truth = exact();
  const Estimate plain = estimate(false, 4000), calm = estimate(true, 4000);
  double largest = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    largest = std::max(largest, std::abs(truth[k]) / plain.error[k]);
    EXPECT_NEAR(plain.mean[k], truth[k], 4 * plain.error[k] + 1e-6) << k;
    EXPECT_NEAR(calm.mean[k], truth[k], 4 * calm.error[k] + 1e-6) << k;
  }
  EXPECT_GT(largest, 6) << "the gradient is too small for this test to fail";
  EXPECT_LT(calm.variance, plain.variance);
}

TEST_P(DrawnRegions, KnowsWhatReadingSoftlyWouldHaveSaid) {
  CaptionReading drawn, soft;
  for (std::uint64_t seed = 0; !drawn.logits || !soft.logits; ++seed) {
    const CaptionReading r = reading_of(seed);
    (r.drawn.data()[0] == 1 ? drawn : soft) = r;
  }
  const auto said = [&](const CaptionReading& r) {
    return pick(log_softmax(r.logits), batch_.labels).value().values();
  };
  const std::vector<float> softly = soft.softly.values(), truth = said(soft);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_FLOAT_EQ(softly[i], truth[i]) << i;
  EXPECT_FLOAT_EQ(drawn.softly.values()[0], truth[0]);
  EXPECT_NE(said(drawn)[0], truth[0]);
}

TEST_P(DrawnRegions, BaselineIsAMovingAverageOfAWordsLogProbability) {
  std::uint64_t seed = 0;
  while (reading_of(seed).drawn.data()[0] == 0) ++seed;
  const CaptionReading r = reading_of(seed);
  const float mean = sum(pick(log_softmax(r.logits), batch_.labels)).value().item() / 2;
  model_.baseline().data()[0] = -1;
  caption_loss(model_, r, batch_, {});
  EXPECT_NEAR(model_.baseline().data()[0], -0.9f + 0.1f * mean, 1e-5f);
}

TEST_P(DrawnRegions, HalfOfTheCaptionsAreReadSoftlyAndLetGradientsPass) {
  int drawn = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const CaptionReading r = reading_of(seed);
    const bool here = r.drawn.data()[0] == 1;
    drawn += here ? 1 : 0;
    if (seed >= 8) continue;
    backward(cross_entropy(r.logits, batch_.labels));
    const std::vector<double> g = gradient();
    EXPECT_EQ(std::all_of(g.begin(), g.end(), [](double x) { return x == 0; }), here);
  }
  EXPECT_NEAR(drawn, 200, 40);
}

INSTANTIATE_TEST_SUITE_P(Recalls, DrawnRegions, testing::Bool());

TEST(Captioner, SeesAsManyRegionsAsItSaysWhateverTheSize) {
  Random random{.seed = 3};
  const Captioner model(
      {.encoder = {.widths = {4, 5, 6}}, .vocab = 7, .embedding_dim = 3, .hidden = 4}, random);
  fovea::Run run;
  for (const auto& [width, height] : std::vector<std::pair<Index, Index>>{{64, 64}, {33, 50}}) {
    const Var seen = model.annotations(Tensor::zeros({2, 3, height, width}), run);
    const ImageEncoder::Grid grid = model.encoder().grid_of(width, height);
    EXPECT_EQ(seen.shape(), (Shape{2, grid.rows * grid.columns, 6 + kPlaceFeatures}));
  }
}

TEST(Captioner, SaysWhichFeaturesItTakes) {
  Random random{.seed = 3};
  const Captioner model(tiny(CaptionAttention::kSoft), random);
  fovea::Run run;
  EXPECT_EQ(error_of([&] {
              model.annotations(Tensor::zeros({2, 9, 5}), run);
            }),
            "captioner: features [2, 9, 5]; take [picture, region, 3], as in training");
}

}  // namespace
}  // namespace fovea
