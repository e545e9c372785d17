/// The list of cases: the time of each, its last runs, and its last change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "reports/axis.h"
#include "reports/cells.h"
#include "reports/site/case_line.h"
#include "reports/site/frame.h"
#include "reports/site/site.h"

namespace plumbline {
namespace {

/// Shown if nothing was compared, nothing changed, or nothing is known.
constexpr const char* kNone = "–";

/// The path of a sparkline, in a view box of 100 by 20. It covers at least 5 %: otherwise noise
/// would look like a change.
std::string spark_path(const CaseLine& line) {
  constexpr double kWide = 100, kHigh = 20, kLeast = 0.05;
  if (line.recent.size() < 2) return "";
  const auto values = line.recent | std::views::values;
  double low = std::ranges::min(values), high = std::ranges::max(values);
  const double missing = std::max(0.0, kLeast * high - (high - low)) / 2;
  const Axis up{.low = low - missing, .high = high + missing, .from = kHigh, .to = 0};
  const Axis across{.low = 0, .high = double(line.recent.size() - 1), .from = 0, .to = kWide};
  std::string path;
  for (std::size_t i = 0; i < line.recent.size(); ++i)
    fmt::format_to(std::back_inserter(path), "{}{:.0f} {:.1f}", i == 0 ? 'M' : 'L',
                   across.at(double(i)), up.at(line.recent[i].second));
  return path;
}

std::string spark_tone(const CaseLine& line) {
  if (line.recent.empty() || line.level <= 0) return "base";
  return tone_of(line, line.recent.back().second / line.level - 1);
}

/// The state of its regressions if any is not settled.
std::string open_text(const CaseLine& line) {
  const auto holds = [&](RegressionState state) {
    return std::ranges::find(line.regressions, state, &Regression::state) != line.regressions.end();
  };
  if (holds(RegressionState::open)) return "open";
  return holds(RegressionState::unmeasured) ? "no longer measured" : "";
}

PageData case_row(const std::vector<KeyedRun>& runs, const CaseLine& line) {
  const bool is_ok = line.status == "OK" || line.status.empty();
  PageData verdict = verdict_data(is_ok ? line.verdict : line.status);
  if (verdict.is_null()) verdict = verdict_data(kNone);
  const bool has_step = !is_apart(line) && !line.steps.empty();
  PageData changed;
  if (!line.steps.empty()) {
    const KeyedRun& run = runs[line.steps.back().run];
    changed = run_data(*run.run, commit_page_name(run.key));
  }
  return {{"verdict", std::move(verdict)},
          {"case", case_anchor(line)},
          {"suite", line.suite},
          {"metric", line.metric},
          {"device", line.device_class},
          {"latest", line.latest},
          {"value", line.recent.empty() ? "" : fmt::format("{:.4g}", line.recent.back().second)},
          {"spark", spark_path(line)},
          {"spark_tone", spark_tone(line)},
          {"open", open_text(line)},
          {"step", has_step ? step_data(line, line.steps.back().change) : PageData()},
          {"step_value", has_step ? fmt::format("{:.4g}", line.steps.back().change) : ""},
          {"no_step", is_apart(line)        ? "last run apart"
                      : !line.steps.empty() ? ""
                      : !line.drift.empty() ? "drifts " + line.drift
                                            : kNone},
          {"changed", std::move(changed)},
          {"place", line.steps.empty() ? -1 : std::int64_t(line.steps.back().run)},
          {"changes", line.steps.size()},
          {"runs", line.runs}};
}

}  // namespace

std::string render_case_list(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                             const std::string& title) {
  PageData rows = PageData::array();
  for (const CaseLine* line : by_last_change(cases)) rows.push_back(case_row(runs, *line));
  return framed({"Cases of " + title + " · Plumbline", "", false}, "site/cases",
                {{"title", title},
                 {"searched", "cases"},
                 {"recent", kRecentRuns},
                 {"cases", std::move(rows)}});
}

}  // namespace plumbline
