// Integrated gradients (Sundararajan et al. 2017): the difference between an output at x and at a
// baseline b, shared out among the units:
//   (x_s - b_s) . integral over a in [0, 1] of d y / d x_s at b + a (x - b)
// Over all units it sums to y(x) - y(b), up to the error of the integral, which is reported.
#pragma once

#include "fovea/explain/explained.h"

namespace fovea {

struct IntegratedGradientsOptions {
  Tensor baseline{};  // [unit, dim]; none: zeros
  Index steps = 16;   // points of Gauss and Legendre's rule: exact for polynomials of degree 31
};

struct IntegratedGradients {
  Tensor map;                            // [output, unit], with signs
  std::vector<float> sums, differences;  // per output: of its row; y(x) - y(b)

  // The largest |sum - difference|, as a share of the largest |difference|.
  double gap() const;
};

IntegratedGradients integrated_gradients(const Explained& f, const Tensor& x,
                                         const IntegratedGradientsOptions& options = {});

// Points in (0, 1) and weights that sum to 1.
struct Quadrature {
  std::vector<double> points, weights;
};
Quadrature gauss_legendre(Index count);

}  // namespace fovea
