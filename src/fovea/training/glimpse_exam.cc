#include "fovea/training/glimpse_exam.h"

#include <algorithm>

#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr Index kPicturesAtOnce = 250;
constexpr std::uint64_t kPlaces = 0x9A1CE5, kFirstGlimpses = 0xF125;

double glimpses_inside(const std::vector<Tensor>& places, const PlacedBatch& batch) {
  const auto height = static_cast<float>(batch.pictures.shape(2)),
             width = static_cast<float>(batch.pictures.shape(3));
  double inside = 0;
  for (const Tensor& each : places) {
    const Tensor at = each.packed();
    for (std::size_t i = 0; i < batch.boxes.size(); ++i) {
      inside += batch.boxes[i].contains((at.data()[2 * i] + 1) / 2 * width,
                                        (at.data()[2 * i + 1] + 1) / 2 * height);
    }
  }
  return inside;
}

}  // namespace

PlacedBatch exam_pictures(const GlimpseExam& exam, Index begin, Index end) {
  const Tensor& images = exam.images.images;
  const Index count = end - begin;
  if (!exam.placing) {
    return {images.slice(0, begin, end).reshape({count, 1, images.shape(1), images.shape(2)}), {}};
  }
  const Index size = exam.placing->size;
  PlacedBatch batch{Tensor({count, 1, size, size}),
                    std::vector<Box>(static_cast<std::size_t>(count))};
  const Random random = Random{.seed = exam.seed}.split(kPlaces);
  parallel_for(count, 16, [&](Index from, Index to) {
    for (Index i = from; i < to; ++i) {
      Random own = random.split(static_cast<std::uint64_t>(begin + i));
      const PlacedDigit placed = place_digit(images, begin + i, *exam.placing, own);
      std::copy_n(placed.image.data(), size * size, batch.pictures.data() + i * size * size);
      batch.boxes[static_cast<std::size_t>(i)] = placed.box;
    }
  });
  return batch;
}

GlimpseGrades examine(const GlimpseReader& reader, const GlimpseExam& exam) {
  const NoGrad guard;
  const Index count = exam.images.images.shape(0);
  const auto classes = static_cast<std::size_t>(reader.options().classes);
  GlimpseGrades grades{.images = count,
                       .said = std::vector(classes, std::vector<Index>(classes, 0))};
  double inside = 0, looked = 0;
  for (Index begin = 0; begin < count; begin += kPicturesAtOnce) {
    const Index end = std::min(count, begin + kPicturesAtOnce);
    const PlacedBatch batch = exam_pictures(exam, begin, end);
    Run run{.random = Random{.seed = exam.seed}
                          .split(kFirstGlimpses)
                          .split(static_cast<std::uint64_t>(begin))};
    const Index readings = exam.readings.value_or(1);
    Tensor beliefs = Tensor::zeros({end - begin, reader.options().classes});
    std::vector<Tensor> places;
    for (Index k = 0; k < readings; ++k) {
      const GlimpseReading reading =
          reader.read(batch.pictures, run, {.draw = exam.readings.has_value()});
      beliefs = (Var(beliefs) + softmax(reading.logits)).value();
      places.insert(places.end(), reading.places.begin(), reading.places.end());
    }
    const Ids guess = argmax(beliefs);
    for (Index i = begin; i < end; ++i) {
      const auto truth = static_cast<std::size_t>(exam.images.labels[i]),
                 answer = static_cast<std::size_t>(guess[i - begin]);
      ++grades.said[truth][answer];
      grades.wrong += truth == answer ? 0 : 1;
    }
    grades.spread +=
        spread_of(places) * static_cast<double>(end - begin) / static_cast<double>(count);
    inside += glimpses_inside(places, batch);
    looked += static_cast<double>(places.size() * batch.boxes.size());
  }
  if (looked > 0) grades.inside = inside / looked;
  return grades;
}

}  // namespace fovea
