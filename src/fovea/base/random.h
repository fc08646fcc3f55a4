// Counter-based random numbers (Philox 4x32-10, Salmon et al. 2011): number i of a stream is a pure
// function of (seed, stream, i), so that a stream is the same on any number of threads and can be
// taken up anywhere.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "fovea/base/index.h"

namespace fovea {

using PhiloxBlock = std::array<std::uint32_t, 4>;

constexpr PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }
  return counter;
}

// 24 random bits as a number in [0, 1).
constexpr float unit_float(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

// A stream of random numbers and the place reached in it. Three integers: copy it, save it, go on.
struct Random {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t position = 0;
  bool zeros = false;  // tensors of random numbers are 0, at no cost: their values are about to be
                       // read from a file

  // Numbers stand in groups of 64, from 16 counters: word j / 16 of counter j % 16, so that vectors
  // of up to 16 lanes read consecutive numbers from consecutive counters.
  std::uint32_t bits_at(std::uint64_t i) const {
    const std::uint64_t counter = i / 64 * 16 + i % 16;
    return philox(
        {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
         static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)})[i % 64 / 16];
  }

  std::uint32_t bits() { return bits_at(position++); }
  float uniform() { return unit_float(bits()); }
  float uniform(float low, float high) { return low + (high - low) * uniform(); }

  // Uniform over [0, count); the bias of the multiplication is below count / 2^32.
  Index below(Index count) {
    return static_cast<Index>((std::uint64_t{bits()} * static_cast<std::uint64_t>(count)) >> 32);
  }

  // Box and Muller.
  static constexpr int kNumbersOfNormal = 2;  // of the stream, for each normal one
  float normal() {
    const double u = (static_cast<double>(bits()) + 0.5) * 0x1p-32;
    const double angle = 2 * std::numbers::pi * unit_float(bits());
    return static_cast<float>(std::sqrt(-2 * std::log(u)) * std::cos(angle));
  }

  // Takes `count` numbers at once, for a kernel that computes them in parallel: returns where they
  // start. Starts on a group, so that vectors need no shifting.
  std::uint64_t take(Index count) {
    const std::uint64_t start = (position + 63) / 64 * 64;
    position = start + static_cast<std::uint64_t>(count);
    return start;
  }

  // An independent stream, for a part of the work that must not depend on how much the others draw.
  Random split(std::uint64_t name) const {
    const PhiloxBlock mixed =
        philox({static_cast<std::uint32_t>(name), static_cast<std::uint32_t>(name >> 32),
                static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
               {static_cast<std::uint32_t>(seed) ^ 0x5851F42Du,
                static_cast<std::uint32_t>(seed >> 32) ^ 0x4C957F2Du});
    return {.seed = seed, .stream = (std::uint64_t{mixed[0]} << 32) | mixed[1]};
  }
};

}  // namespace fovea
