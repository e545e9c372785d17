#include "workflow/run/run_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/visible.h"
#include "core/words.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostReasons = 5;

/// "3 UNSUPPORTED: …", a line for each reason why the cases that `counts` did not run; the most
/// frequent first.
template <class Test>
std::vector<std::string> reasons_not_run(const std::vector<CaseSummary>& rows, Test counts) {
  using Name = std::pair<std::string_view, std::string_view>;
  std::map<std::pair<Status, std::string_view>, std::set<Name>> cases;
  for (const CaseSummary& row : rows)
    if (counts(row)) cases[{row.status, row.reason}].emplace(row.suite, row.case_id);
  std::vector<std::pair<std::size_t, std::string>> reasons;
  for (const auto& [why, of] : cases)
    reasons.emplace_back(
        of.size(), fmt::format("{} {}: {}", of.size(), name_of(why.first), visible(why.second)));
  std::ranges::stable_sort(reasons, std::ranges::greater{}, [](const auto& r) { return r.first; });
  std::vector<std::string> lines;
  for (const auto& [count, line] : reasons | std::views::take(kMostReasons)) lines.push_back(line);
  if (reasons.size() > kMostReasons)
    lines.push_back("and " + counted(reasons.size() - kMostReasons, "more reason"));
  return lines;
}

}  // namespace

RunCounts count_cases(const std::vector<CaseSummary>& rows,
                      std::span<const ExpectedFailure> expected) {
  const Expectations expectations(expected);
  RunCounts counts;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const CaseSummary& row : rows) {
    if (!seen.emplace(row.suite, row.case_id).second) continue;
    counts.measured += !row.metric.empty();
    if (expectations.met(row.suite, row.case_id, row.status)) {
      ++counts.expected[row.status];
      continue;
    }
    ++counts.cases[row.status];
    counts.failed += is_failure(row.status);
  }
  return counts;
}

std::string counts_in_words(const RunCounts& counts) {
  std::string text;
  for (const auto& [status, count] : counts.cases)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(status));
  std::string expected;
  for (const auto& [status, count] : counts.expected)
    expected += fmt::format("{}{} {}", expected.empty() ? "" : ", ", count, name_of(status));
  if (!expected.empty()) text += (text.empty() ? "" : "; ") + expected + " as expected";
  return text;
}

std::vector<std::string> reasons_unsupported(const std::vector<CaseSummary>& rows,
                                             std::span<const ExpectedFailure> expected) {
  const Expectations expectations(expected);
  return reasons_not_run(rows, [&](const CaseSummary& row) {
    return row.status == Status::unsupported && row.metric.empty() &&
           !expectations.met(row.suite, row.case_id, row.status);
  });
}

void require_measured(const RunCounts& counts, const std::vector<CaseSummary>& rows,
                      const std::string& run, Talk& talk) {
  if (counts.measured > 0 || counts.failed > 0) return;
  const std::vector<std::string> reasons = reasons_not_run(rows, [](const CaseSummary& row) {
    return row.status == Status::unsupported || row.status == Status::excluded;
  });
  for (const std::string& line : reasons) talk.say(line);
  throw Error("nothing was measured: no case" + run + " has samples" +
              (reasons.empty() ? "" : "; choose a device (--device) or cases that can run on it"));
}

}  // namespace plumbline
