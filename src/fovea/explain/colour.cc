#include "fovea/explain/colour.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fovea {
namespace {

constexpr double kBlue = 268, kOrange = 55;  // degrees: apart for every kind of colour blindness
constexpr int kSteps = 256;

std::uint8_t gamma(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  const double y = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * y));
}

double ungamma(std::uint8_t byte) {
  const double y = byte / 255.0;
  return y <= 0.04045 ? y / 12.92 : std::pow((y + 0.055) / 1.055, 2.4);
}

Rgb oklch(double lightness, double chroma, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double a = chroma * std::cos(angle), b = chroma * std::sin(angle);
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.291485548 * b);
  return {gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)};
}

using Ramp = std::array<Rgb, kSteps>;

// From the paper to the ink; chroma swells in the middle, where sRGB has room for it.
Ramp ramp(Paper paper, double hue) {
  const bool dark = paper == Paper::kDark;
  Ramp ramp;
  for (int i = 0; i < kSteps; ++i) {
    const double t = static_cast<double>(i) / (kSteps - 1);
    const double lightness = dark ? 0.24 + 0.66 * t : 0.975 - 0.6 * t;
    const double swell = std::sin(std::numbers::pi * (0.12 + 0.62 * t)) * std::min(1.0, 2.4 * t);
    ramp[static_cast<std::size_t>(i)] = oklch(lightness, 0.006 + (dark ? 0.13 : 0.17) * swell, hue);
  }
  return ramp;
}

int step_of(float share) {
  return static_cast<int>(std::lround((kSteps - 1) * std::min(1.0f, std::abs(share))));
}

}  // namespace

Rgb weight_colour(float share, Paper paper) {
  static const std::array<Ramp, 4> kRamps = {
      ramp(Paper::kLight, kBlue), ramp(Paper::kLight, kOrange), ramp(Paper::kDark, kBlue),
      ramp(Paper::kDark, kOrange)};
  if (std::isnan(share)) return {150, 150, 150};
  const std::size_t which = (paper == Paper::kDark ? 2 : 0) + (share < 0 ? 1 : 0);
  return kRamps[which][static_cast<std::size_t>(step_of(share))];
}

bool wants_light_ink(float share, Paper paper) {
  if (std::isnan(share)) return false;
  return (step_of(share) > 0.45 * kSteps) != (paper == Paper::kDark);
}

double oklab_lightness(Rgb colour) {
  const double r = ungamma(colour.red), g = ungamma(colour.green), b = ungamma(colour.blue);
  return 0.2104542553 * std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) +
         0.793617785 * std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) -
         0.0040720468 * std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
}

std::string hex(Rgb colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

}  // namespace fovea
