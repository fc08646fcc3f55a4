// The files of the page as they are embedded; cmake/FoveaPage.cmake has page_files.cc written.
#pragma once

#include <string_view>

namespace fovea::page_files {

extern const std::string_view kPage, kScript, kStyle;
extern const std::string_view kStandalone;  // with @STYLE@, @TRACE@ and @SCRIPT@, in this order

}  // namespace fovea::page_files
