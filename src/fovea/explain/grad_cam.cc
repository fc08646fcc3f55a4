#include "fovea/explain/grad_cam.h"

#include <algorithm>
#include <cmath>

#include "fovea/autograd/record.h"

namespace fovea {
namespace {

// relu, but what comes back passes only where it is positive too.
Var guided_relu(const Var& x) {
  const Tensor y = map(Unary::kRelu, x.value());
  return record("guided_relu", y, {x}, [=](const Tensor& d_y) {
    add_to_grad(x, zip(Binary::kReluBackward, map(Unary::kRelu, d_y), y));
  });
}

}  // namespace

bool GradCam::nothing_positive(Index image) const {
  const std::vector<float> one = map.select(0, image).values();
  return std::none_of(one.begin(), one.end(), [](float x) { return x > 0; });
}

Tensor GradCam::positive() const { return fovea::map(Unary::kRelu, map); }

std::string GradCam::about(Index image) const {
  std::string text =
      "channels of the last convolution, each times the mean gradient of the output by it; what is "
      "below 0 speaks against the output";
  if (nothing_positive(image)) {
    text += "; here nothing is positive: the usual picture, which shows that part alone, is empty";
  }
  return text;
}

GradCam grad_cam(const Var& grid, const Var& scores) {
  const Axes n("grad_cam", {{"grid", grid.shape(), "image dim rows columns"},
                            {"scores", scores.shape(), "image"}});
  const Index regions = n["rows"] * n["columns"];
  GradCam cam;
  cam.d_grid = gradients(scores, {grid}, Tensor::full(scores.shape(), 1))[0];
  cam.weight =
      fovea::map(Unary::kMultiply, sum(cam.d_grid.reshape({n["image"], n["dim"], regions}), 2),
                 1 / static_cast<float>(regions));
  cam.map = matmul(cam.weight.unsqueeze(1), grid.value().reshape({n["image"], n["dim"], regions}))
                .reshape({n["image"], n["rows"], n["columns"]});
  return cam;
}

Tensor guided_gradient(const ImageEncoder& encoder, const Tensor& pixels, const Tensor& d_grid) {
  const Var in = Var::parameter(pixels.packed());
  Run run;
  Var x = in;
  for (const ImageEncoder::Layer& layer : encoder.layers) {
    x = guided_relu(layer.norm(layer.conv(x), run));
  }
  return gradients(x, {in}, d_grid)[0];
}

Tensor guided_grad_cam(const GradCam& cam, const ImageEncoder& encoder, const Tensor& pixels) {
  const Axes n("guided_grad_cam", {{"pixels", pixels.shape(), "image channel height width"},
                                   {"map", cam.map.shape(), "image rows columns"}});
  const Tensor guided = guided_gradient(encoder, pixels, cam.d_grid).packed();
  const Var coarse(cam.positive().unsqueeze(1));
  const Tensor fine = resize_bilinear(coarse, n["height"], n["width"]).value().packed();
  const Index area = n["height"] * n["width"], channels = n["channel"];
  Tensor result({n["image"], n["height"], n["width"]});
  for (Index i = 0; i < result.size(); ++i) {
    const float* g = guided.data() + i / area * channels * area + i % area;
    float strongest = 0;
    for (Index c = 0; c < channels; ++c) {
      if (std::abs(g[c * area]) > std::abs(strongest)) strongest = g[c * area];
    }
    result.data()[i] = strongest * fine.data()[i];
  }
  return result;
}

}  // namespace fovea
