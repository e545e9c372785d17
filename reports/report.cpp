#include "reports/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "reports/glossary.h"
#include "reports/page.h"
#include "reports/section.h"

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

// Columns and headers of tables that scripts make and mark.
constexpr std::array kHeads{"case",   "interval", "metric", "of_peak", "other_metrics",
                            "rate",   "remarks",  "rounds", "runs",    "spread",
                            "status", "value",    "verdict"};
constexpr std::array kHeadsOfComparisons{"baseline", "candidate", "change"};

/// The terms that scripts of this page mark: table headers, and metrics with a meaning.
std::vector<std::string> terms_of_scripts(const ReportModel& model) {
  std::set<std::string> terms;
  for (const CaseView& view : model.cases) terms.emplace(view.metric);
  for (const auto& [id, metrics] : model.shown)
    for (const ShownMetric& metric : metrics) terms.insert(metric.metric);
  std::erase_if(terms, [](const std::string& term) { return meaning_of(term).empty(); });
  terms.insert(kHeads.begin(), kHeads.end());
  if (model.input.comparison) terms.insert(kHeadsOfComparisons.begin(), kHeadsOfComparisons.end());
  return {terms.begin(), terms.end()};
}

}  // namespace

std::string render_report(const ReportInput& input) {
  const ReportModel model = make_model(input);
  const std::vector<Section> sections = make_sections();
  const std::string title = title_of(input);
  std::string body;
  for (const Section& section : sections)
    if (const PageData content = section.content(model); !content.is_null())
      body += rendered(fmt::format("sections/{}/section", section.name), content) + '\n';
  const std::vector<std::string> terms = terms_of_scripts(model);
  std::size_t used =
      self_contained_page(title, report_assets(), body, PageData::array(), terms).size();
  PageData data = PageData::array();
  for (const Section& section : sections) {
    if (section.data == nullptr) continue;
    used += 64;  // for its element
    std::string json =
        section.data(model, input.size_limit_bytes - std::min(input.size_limit_bytes, used));
    used += json.size();
    data.push_back({{"name", section.name}, {"json", std::move(json)}});
  }
  return self_contained_page(title, report_assets(), std::move(body), std::move(data), terms);
}

}  // namespace plumbline
