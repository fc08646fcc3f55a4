#include "fovea/explain/font.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include <cmath>
#include <memory>
#include <numbers>

#include "fovea/base/error.h"
#include "fovea/data/utf8.h"
#include "fovea/explain/font_file.h"

namespace fovea {
namespace {

// FreeType's objects are not for several threads at once, so each thread has its own.
class Font {
 public:
  Font() {
    const std::string_view file = font_file();
    if (FT_Init_FreeType(&library_) != 0 ||
        FT_New_Memory_Face(library_, reinterpret_cast<const FT_Byte*>(file.data()),
                           static_cast<FT_Long>(file.size()), 0, &face_) != 0) {
      fail("font: FreeType cannot read the font it was built with");
    }
  }
  ~Font() {
    FT_Done_Face(face_);
    FT_Done_FreeType(library_);
  }
  Font(const Font&) = delete;
  Font& operator=(const Font&) = delete;

  static Font& of_thread() {
    thread_local Font font;
    return font;
  }

  // Without hinting letters keep their shape, and widths do not depend on the size.
  double advance(char32_t c, const TextStyle& style) {
    FT_Load_Char(face_, c, FT_LOAD_NO_SCALE);
    const double em = static_cast<double>(face_->units_per_EM);
    return static_cast<double>(face_->glyph->advance.x) * style.size / em + extra(style);
  }

  FT_GlyphSlot render(char32_t c, const TextStyle& style, const TextPlace& place) {
    FT_Set_Char_Size(face_, 0, static_cast<FT_F26Dot6>(std::lround(style.size * 64)), 72, 72);
    FT_Load_Char(face_, c, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP);
    FT_Outline& outline = face_->glyph->outline;
    if (style.bold) FT_Outline_Embolden(&outline, std::lround(extra(style) * 64));
    const double angle = place.degrees * std::numbers::pi / 180;
    const auto fixed = [](double x) { return std::lround(x * 65536); };
    const FT_Matrix turn{fixed(std::cos(angle)), fixed(-std::sin(angle)), fixed(std::sin(angle)),
                         fixed(std::cos(angle))};
    FT_Outline_Transform(&outline, &turn);
    FT_Outline_Translate(&outline, std::lround(place.x * 64), std::lround(-place.y * 64));
    FT_Render_Glyph(face_->glyph, FT_RENDER_MODE_NORMAL);
    return face_->glyph;
  }

 private:
  static double extra(const TextStyle& style) { return style.bold ? style.size / 24 : 0; }

  FT_Library library_ = nullptr;
  FT_Face face_ = nullptr;
};

}  // namespace

double text_width(std::string_view text, const TextStyle& style) {
  double width = 0;
  for_each_code_point(
      text, [&](char32_t c, std::string_view) { width += Font::of_thread().advance(c, style); });
  return width;
}

void for_each_covered(std::string_view text, const TextStyle& style, const TextPlace& place,
                      const std::function<void(int x, int y, int coverage)>& cover) {
  Font& font = Font::of_thread();
  TextPlace at = place;
  const double angle = place.degrees * std::numbers::pi / 180;
  for_each_code_point(text, [&](char32_t c, std::string_view) {
    const FT_GlyphSlot glyph = font.render(c, style, at);
    const FT_Bitmap& bitmap = glyph->bitmap;
    for (unsigned y = 0; y < bitmap.rows; ++y) {
      for (unsigned x = 0; x < bitmap.width; ++x) {
        const int coverage =
            bitmap.buffer[static_cast<int>(y) * bitmap.pitch + static_cast<int>(x)];
        if (coverage > 0) {
          cover(glyph->bitmap_left + static_cast<int>(x), static_cast<int>(y) - glyph->bitmap_top,
                coverage);
        }
      }
    }
    const double step = font.advance(c, style);
    at.x += step * std::cos(angle);
    at.y -= step * std::sin(angle);
  });
}

}  // namespace fovea
