#include "fovea/explain/class_pointing.h"

#include <algorithm>

#include "fovea/autograd/ops.h"
#include "fovea/explain/grad_cam.h"
#include "fovea/training/class_task.h"

namespace fovea {
namespace {

constexpr Index kPictures = 50;  // that are explained at a time

}  // namespace

ClassPointing grad_cam_pointing(const ClassModel& model, const AskedPictures& data) {
  ClassPointing result;
  const Index all = data.held_out_count();
  for (Index begin = 0; begin < all; begin += kPictures) {
    const auto pictures = data.held_out(begin, std::min(all, begin + kPictures));
    const ClassBatch batch = class_batch(model, pictures);
    const ImageModel::Seen seen = model.see(Var(batch.images), "");
    const GradCam cam = grad_cam(seen.grid, pick(seen.logits, argmax(seen.logits.value())));
    const std::vector<Box> regions = region_boxes(seen.grid.shape(2), seen.grid.shape(3),
                                                  batch.images.shape(3), batch.images.shape(2));
    const Tensor maps = cam.map.packed();
    const auto map_of = [&](std::size_t i) {
      return maps.flat().subspan(i * regions.size(), regions.size());
    };
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      const std::vector<Box>& boxes = pictures[i].questions[0].boxes;
      if (boxes.empty()) continue;
      const auto image = static_cast<Index>(i);
      ++result.pictures;
      if (cam.nothing_positive(image)) {
        ++result.nothing_positive;
      } else if (points_into(peak_of(map_of(i), regions), boxes)) {
        ++result.pointed;
      }
    }
  }
  return result;
}

}  // namespace fovea
