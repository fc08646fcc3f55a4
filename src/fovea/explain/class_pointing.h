// Does the map of a class point at what the class is about?
#pragma once

#include "fovea/models/class_model.h"
#include "fovea/training/asked_pictures.h"

namespace fovea {

struct ClassPointing {
  Index pictures = 0;          // held out, with true boxes
  Index pointed = 0;           // the largest cell of Grad-CAM, of the class chosen, points at one
  Index nothing_positive = 0;  // maps without any number above 0; they point nowhere

  double share() const {
    return pictures == 0 ? 0 : static_cast<double>(pointed) / static_cast<double>(pictures);
  }
};
ClassPointing grad_cam_pointing(const ClassModel& model, const AskedPictures& data);

}  // namespace fovea
