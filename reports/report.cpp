#include "reports/report.h"

#include <map>
#include <string_view>
#include <vector>

#include "reports/assets.h"
#include "reports/markup.h"
#include "reports/section.h"
#include "reports/skeleton.h"

namespace plumbline {
namespace {

std::string title_of(const ReportInput& input) {
  if (!input.title.empty()) return input.title;
  const RunInfo& info = input.candidate->info;
  std::string title;
  for (const SuiteRef& suite : info.suites) title += (title.empty() ? "" : ", ") + suite.name;
  if (!info.environment.commit.empty()) title += " at " + info.environment.commit.substr(0, 10);
  return title + (title.empty() ? "Plumbline" : " · Plumbline");
}

}  // namespace

std::string render_report(const ReportInput& input) {
  const ReportModel model = make_model(input);
  const std::vector<Section> sections = make_sections();
  std::map<std::string_view, std::string> places{
      {"title", escaped(title_of(input))},
      {"hash", std::string(page_js_hash())},
      {"css", std::string(page_css())},
      {"js", std::string(page_js())},
      {"sections", ""},
      {"data", ""},
  };
  for (const Section& section : sections) places["sections"] += section.html(model);
  std::string& data = places["data"];
  for (const Section& section : sections) {
    if (section.data == nullptr) continue;
    const std::string open =
        "<script type=\"application/json\" id=\"data-" + std::string(section.name) + "\">";
    std::size_t used = page_html().size() + open.size() + 16;
    for (const auto& [name, text] : places) used += text.size();
    const std::size_t room = input.size_limit_bytes > used ? input.size_limit_bytes - used : 0;
    data += open + section.data(model, room) + "</script>\n";
  }
  return fill(page_html(), places);
}

}  // namespace plumbline
