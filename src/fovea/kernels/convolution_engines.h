// What convolution.cc asks of its engines. `slice`: images of one call, by one thread.
#pragma once

#include "fovea/kernels/convolution.h"

namespace fovea::kernels {

void columns_forward(const ConvForward& work, Index slice);
void columns_backward_input(const ConvBackwardInput& work, Index slice);
// The sum over slice i goes to partial + i * shape.weights().
void direct_backward_weight(const ConvBackwardWeight& work, Index slice, float* partial);

// In fewer multiplications: kernels of 3 x 3 with stride 1, and of 4 x 4 with stride 2.
bool winograd_can(const ConvShape& shape);
double winograd_multiplications(const ConvShape& shape);
void winograd_forward(const ConvForward& work);
void winograd_backward_input(const ConvBackwardInput& work);
void winograd_backward_weight(const ConvBackwardWeight& work, Index slice, float* partial);

// These return false, having done nothing, where oneDNN cannot do the work.
bool onednn_forward(const ConvForward& work, Index slice);
bool onednn_backward_input(const ConvBackwardInput& work, Index slice);
bool onednn_backward_weight(const ConvBackwardWeight& work, Index slice, float* partial);

}  // namespace fovea::kernels
