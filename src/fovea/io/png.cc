#include "fovea/io/png.h"

#include <png.h>

#include "fovea/base/error.h"

namespace fovea {

std::string encode_png(const Pixels& pixels) {
  constexpr Index kMost = 65'500;  // a side, so that sizes in bytes fit libpng's 32 bits
  if (pixels.width < 1 || pixels.height < 1 || pixels.width > kMost || pixels.height > kMost ||
      pixels.rgb.size() != static_cast<std::size_t>(3 * pixels.width * pixels.height)) {
    fail("png: {} bytes are no picture of {} x {} pixels", pixels.rgb.size(), pixels.width,
         pixels.height);
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(pixels.width);
  image.height = static_cast<png_uint_32>(pixels.height);
  image.format = PNG_FORMAT_RGB;
  std::string bytes;
  png_alloc_size_t size = 0;
  // Once for the size, once for the bytes.
  for (void* to : {static_cast<void*>(nullptr), static_cast<void*>(&bytes)}) {
    void* const memory = to == nullptr ? nullptr : bytes.data();
    if (png_image_write_to_memory(&image, memory, &size, 0, pixels.rgb.data(), 0, nullptr) == 0) {
      const std::string message = image.message;
      png_image_free(&image);
      fail("png: {}", message);
    }
    bytes.resize(size);
  }
  return bytes;
}

}  // namespace fovea
