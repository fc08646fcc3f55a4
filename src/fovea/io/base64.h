// Bytes as letters that any text may hold (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fovea {

std::string to_base64(std::string_view bytes);

// Nothing where the text is not base64: other letters, a wrong length, or bits that no byte has.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace fovea
