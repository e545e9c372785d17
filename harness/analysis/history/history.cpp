#include "analysis/history/history.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/moment.h"
#include "core/run/case.h"
#include "core/run/run_identity.h"

namespace plumbline {
namespace {

using SeriesKey =
    std::tuple<std::string, std::string, std::string, std::string, std::string, std::string, int>;

SeriesKey key_of(const PastRun& run, const CaseSummary& row) {
  return {row.suite,
          row.case_id,
          row.metric,
          row.unit,
          row.revision,
          run.device_class,
          run.measurement_revision};
}

Series series_of(const PastRun& run, const CaseSummary& row) {
  return {row.suite,
          row.case_id,
          row.metric,
          row.unit,
          row.revision,
          run.device_class,
          run.measurement_revision,
          {}};
}

RunIdentity identity_of(const PastRun& run) {
  return {moment_of_start(run.started_at), run.device_uuid, run.host, run.shard};
}

/// Hash of a run's times; nothing if so few differ that another run may have the same by chance.
std::optional<std::uint64_t> numbers_of(const RunSummary& summary) {
  constexpr std::size_t kDifferent = 8;
  std::set<double> different;
  std::uint64_t hash = 0;
  for (const CaseSummary& row : summary.rows) {
    if (row.unit != "s" || !std::isfinite(row.estimate)) continue;
    if (different.size() < kDifferent) different.insert(row.estimate);
    hash = stable_hash(row.suite + '\n' + row.case_id + '\n' + row.metric,
                       hash ^ std::bit_cast<std::uint64_t>(row.estimate));
  }
  return different.size() < kDifferent ? std::nullopt : std::optional(hash);
}

/// Runs seen so far, so that each counts once.
class Met {
 public:
  /// Sets `same_numbers`, if given, to the path of a run with the same numbers and another start.
  bool is_new(const RunSummary& summary, const std::string** same_numbers = nullptr) {
    const RunIdentity run = identity_of(summary.run);
    if (run.start && !starts_.insert(run).second) return false;
    const auto numbers = numbers_of(summary);
    if (!numbers) return true;
    const auto [place, is_first] = numbers_.try_emplace(*numbers, summary.run.path);
    if (!is_first && same_numbers) *same_numbers = &place->second;
    return is_first;
  }

 private:
  std::set<RunIdentity> starts_;
  std::map<std::uint64_t, std::string> numbers_;
};

/// Empty if a mean is not above 0.
RunVisitLogs logs_of_visits(const CaseSummary& row) {
  RunVisitLogs logs;
  for (const double visit_mean : row.visit_means) {
    if (!(visit_mean > 0)) return {};
    logs.push_back(std::log(visit_mean));
  }
  return logs;
}

}  // namespace

EarlierRuns earlier_runs(std::vector<RunSummary> summaries, const RunSummary& baseline,
                         const RunSummary& candidate) {
  Met met;
  met.is_new(candidate);
  met.is_new(baseline);
  const auto now = moment_of(candidate.run.started_at);
  EarlierRuns earlier;
  std::map<std::string, std::vector<std::string>> copies;  // by the path of a run with the same
                                                           // numbers and another start
  for (RunSummary& summary : summaries) {
    if (!summary.run.is_accepted && now && now < moment_of(summary.run.started_at)) continue;
    const std::string* same_numbers = nullptr;
    if (met.is_new(summary, &same_numbers))
      earlier.runs.push_back(std::move(summary));
    else if (same_numbers)
      copies[*same_numbers].push_back(summary.run.path);
  }
  for (const auto& [original, paths] : copies)
    earlier.notes.push_back(
        paths.front() +
        (paths.size() == 1 ? " has" : " and " + std::to_string(paths.size() - 1) + " more have") +
        " the same times as " + original +
        ", although they say that they started at another moment: they count as one run");
  return earlier;
}

History make_history(std::vector<RunSummary> summaries) {
  std::ranges::stable_sort(summaries, {},
                           [](const RunSummary& s) { return moment_of(s.run.started_at); });
  History history;
  std::map<SeriesKey, std::size_t> positions;
  for (RunSummary& summary : summaries) {
    for (const CaseSummary& row : summary.rows) {
      if (row.metric.empty() || !(row.estimate > 0) || !std::isfinite(row.estimate)) continue;
      const auto [place, is_new] =
          positions.try_emplace(key_of(summary.run, row), history.series.size());
      if (is_new) history.series.push_back(series_of(summary.run, row));
      history.series[place->second].values.push_back(
          {history.runs.size(), row.estimate, row.low, row.high,
           std::isfinite(row.tail) ? std::optional(std::log1p(row.tail)) : std::nullopt,
           logs_of_visits(row)});
    }
    history.runs.push_back(std::move(summary.run));
  }
  return history;
}

}  // namespace plumbline
