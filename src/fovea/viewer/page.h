// The page that shows where a model looked: three files for a server, or one that needs none.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// What a server gives for /, /app.js and /app.css. Built without the page (FOVEA_PAGE=OFF), a page
// that says so.
std::string_view page_html();
std::string_view page_script();
std::string_view page_style();

// One HTML file that shows a Trace (docs/formats.md) from disk, with script and style inside; it
// loads nothing and cannot be made to by what the Trace says. Same Trace, same bytes.
std::string standalone_page(std::string_view trace_json);

}  // namespace fovea
