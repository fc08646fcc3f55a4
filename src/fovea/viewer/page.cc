#include "fovea/viewer/page.h"

#include "fovea/viewer/page_files.h"

namespace fovea {
namespace {

// In JSON a '<' stands only inside strings, where \u003c means the same; so no "</script>" can end
// the element.
std::string without_tags(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string_view page_html() { return page_files::kPage; }
std::string_view page_script() { return page_files::kScript; }
std::string_view page_style() { return page_files::kStyle; }

std::string standalone_page(std::string_view trace_json) {
  struct Part {
    std::string_view mark, content;
  };
  const std::string trace = without_tags(trace_json);
  std::string page;
  std::string_view rest = page_files::kStandalone;
  // Each mark is looked for behind the last, never in what was put in.
  for (const Part& part :
       {Part{"@STYLE@", page_style()}, Part{"@TRACE@", trace}, Part{"@SCRIPT@", page_script()}}) {
    const std::size_t at = rest.find(part.mark);
    if (at == std::string_view::npos) continue;
    page.append(rest.substr(0, at)).append(part.content);
    rest.remove_prefix(at + part.mark.size());
  }
  return page.append(rest);
}

}  // namespace fovea
