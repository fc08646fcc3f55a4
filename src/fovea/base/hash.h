// A hash of bytes that is the same on every machine (FNV-1a): for splits by content and
// fingerprints, not against attackers.
#pragma once

#include <cstdint>
#include <string_view>

namespace fovea {

constexpr std::uint64_t kHashStart = 0xCBF29CE484222325u;

// Goes on from `hash`, so that parts can be hashed one after the other.
constexpr std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t hash = kHashStart) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

// All bits depend on all bits (the end of MurmurHash3): for taking a few of them.
constexpr std::uint64_t mixed_bits(std::uint64_t hash) {
  hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCDu;
  hash = (hash ^ hash >> 33) * 0xC4CEB9FE1A85EC53u;
  return hash ^ hash >> 33;
}

}  // namespace fovea
