// Pictures of a Trace, for files. Everything shown stands in the Trace; the same Trace gives the
// same bytes.
#pragma once

#include <string>

#include "fovea/attention/trace.h"
#include "fovea/explain/scene.h"
#include "fovea/models/soft_alignment.h"

namespace fovea {

struct PictureOptions {
  LookChoice look{};    // which heads the map of attention is the mean of
  bool heads = false;   // every head by itself, as small multiples
  bool pieces = false;  // pieces of words each for themselves
};

// Names of words at the sides, colours for weights, a frame around each row's largest weight;
// below, what the colours mean. Methods stand side by side with their figures and their
// correlation. Fails where there is nothing to draw.
Scene picture_of(const Trace& trace, const PictureOptions& options = {});

std::string svg_of(const Trace& trace, const PictureOptions& options = {});
std::string png_of(const Trace& trace, const PictureOptions& options = {});
std::string html_of(const Trace& trace);  // the page of `fovea serve`, in one file

}  // namespace fovea
