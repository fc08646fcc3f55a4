#include "fovea/explain/image_check.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/shuffle.h"
#include "fovea/explain/rank_correlation.h"
#include "fovea/models/image_encoder.h"

namespace fovea {
namespace {

using Order = std::vector<Index>;  // of cells

// How much weight each cell of a side x side grid has: the mean of a map's cells by their middles.
std::vector<float> cell_weights(const Trace& trace, const Trace::Method& method, Index side) {
  const auto count = static_cast<std::size_t>(side * side);
  std::vector<float> sums(count, 0), counts(count, 0);
  const std::vector<Trace::Label>& labels = trace.labels(method.keys);
  const Tensor weights = method.weights.packed();
  const auto cell = [side](float middle, Index extent) {
    return std::clamp(
        static_cast<Index>(middle * static_cast<float>(side) / static_cast<float>(extent)),
        Index{0}, side - 1);
  };
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Trace::Box& box = *labels[i].box;
    const auto at =
        static_cast<std::size_t>(cell((box.y0 + box.y1) / 2, trace.image->height) * side +
                                 cell((box.x0 + box.x1) / 2, trace.image->width));
    sums[at] += weights.data()[i];
    counts[at] += 1;
  }
  // A map coarser than the grid: cells without a middle take the nearest label's weight.
  for (std::size_t at = 0; at < count; ++at) {
    if (counts[at] > 0) {
      sums[at] /= counts[at];
      continue;
    }
    const auto a = static_cast<Index>(at);
    const float x = (static_cast<float>(a % side) + 0.5f) * static_cast<float>(trace.image->width) /
                    static_cast<float>(side);
    const float y = (static_cast<float>(a / side) + 0.5f) *
                    static_cast<float>(trace.image->height) / static_cast<float>(side);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Trace::Box& box = *labels[i].box;
      if (x >= box.x0 && x < box.x1 && y >= box.y0 && y < box.y1) sums[at] = weights.data()[i];
    }
  }
  return sums;
}

Order order_of(const std::vector<float>& weights) {
  Order order(weights.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return weights[static_cast<std::size_t>(a)] > weights[static_cast<std::size_t>(b)];
  });
  return order;
}

struct Areas {
  double deletion = 0, insertion = 0;
};

// Under both curves, by trapezoids.
Areas areas_of(const Explained& shown, const Order& order, Index points) {
  const auto cells = static_cast<Index>(order.size());
  Tensor x({2 * (points + 1), cells, 1});
  for (Index p = 0; p <= points; ++p) {
    const Index moved = p * cells / points;
    float* hidden = x.data() + p * cells;
    float* inserted = x.data() + (points + 1 + p) * cells;
    for (Index i = 0; i < cells; ++i) {
      const Index cell = order[static_cast<std::size_t>(i)];
      hidden[cell] = i < moved ? 0 : 1;
      inserted[cell] = i < moved ? 1 : 0;
    }
  }
  const NoGrad guard;
  const Tensor p = shown.one(Var(x), each_output(1, 2 * (points + 1))).value().packed();
  const auto area = [&](Index first) {
    double sum = 0;
    for (Index i = 0; i < points; ++i) {
      sum += (static_cast<double>(p.data()[first + i]) +
              static_cast<double>(p.data()[first + i + 1])) /
             2;
    }
    return sum / static_cast<double>(points);
  };
  return {area(0), area(points + 1)};
}

Box peak_of(const Trace& trace, const Trace::Method& method) {
  std::vector<Box> cells;
  for (const Trace::Label& label : trace.labels(method.keys)) {
    cells.push_back({label.box->x0, label.box->y0, label.box->x1, label.box->y1});
  }
  return fovea::peak_of(method.weights.packed().flat(), cells);
}

}  // namespace

void shuffle_weights(NamedTensors tensors, Random random) {
  std::uint64_t stream = 0;
  for (auto& [name, tensor] : tensors) {
    Random own = random.split(stream++);
    shuffle(tensor.flat(), own);
  }
}

ImageCheck::ImageCheck(const ImageModel& model, std::unique_ptr<ImageModel> shuffled,
                       const ImageCheckOptions& options)
    : model_(model), shuffled_(std::move(shuffled)), options_(options) {
  shuffle_weights(shuffled_->tensors(), Random{.seed = options.seed}.split(0xC4EC));
}

void ImageCheck::operator()(const Image& image, const std::string& question,
                            const std::vector<Box>& boxes, Trace& trace) const {
  const Index label = chosen_class(model_, trace), side = options_.cells;
  const Explained shown = shown_cells(model_, image, question, label, side, side);
  Areas random;
  for (Index o = 0; o < options_.orders; ++o) {
    Random chance = Random{.seed = options_.seed}.split(static_cast<std::uint64_t>(o));
    std::vector<float> any(static_cast<std::size_t>(side * side));
    for (float& x : any) x = chance.uniform();
    const Areas areas = areas_of(shown, order_of(any), options_.points);
    random.deletion += areas.deletion / static_cast<double>(options_.orders);
    random.insertion += areas.insertion / static_cast<double>(options_.orders);
  }
  std::vector<std::string> names;
  for (const Trace::Method& method : trace.methods) names.push_back(method.name);
  Trace other = shuffled_->trace(image, question);
  other.output = trace.output;  // the same class, whatever this one would say
  explain_picture(*shuffled_, image, question, names, options_.methods, other);
  for (std::size_t i = 0; i < trace.methods.size(); ++i) {
    Trace::Method& method = trace.methods[i];
    const Areas areas =
        areas_of(shown, order_of(cell_weights(trace, method, side)), options_.points);
    method.figures = {{"deletion", areas.deletion, "small: what it marks was needed"},
                      {"deletion_random", random.deletion, "the same, in random order"},
                      {"insertion", areas.insertion, "large: what it marks is enough"},
                      {"insertion_random", random.insertion, "the same, in random order"},
                      {"randomised", rank_correlation(method.weights, other.methods[i].weights),
                       "near 0: the map shows what was learnt"}};
    if (!boxes.empty()) {
      const std::vector<float> w = method.weights.values();  // nothing positive points nowhere
      const bool points = std::any_of(w.begin(), w.end(), [](float x) { return x > 0; });
      method.figures.push_back({"pointing",
                                points && points_into(peak_of(trace, method), boxes) ? 1.0 : 0.0,
                                "1: the largest weight lies where it should"});
    }
  }
}

}  // namespace fovea
