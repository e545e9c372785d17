#include "workflow/results/site_cases.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace plumbline {
namespace {

using CaseName = std::pair<std::string_view, std::string_view>;
struct HashOfName {
  std::size_t operator()(const CaseName& name) const {
    const std::hash<std::string_view> hash;
    return hash(name.first) * 31 + hash(name.second);
  }
};

/// Index of the series that the row of that run belongs to. Like make_history(), but for one case
/// and without copying its rows.
std::size_t series_for(SiteCase& shown, const SiteRow& row, const PastRun& run) {
  for (std::size_t i = 0; i < shown.series.size(); ++i)
    if (const Series& known = shown.series[i];
        known.metric == row.metric && known.unit == row.unit && known.revision == row.revision &&
        known.device_class == run.device_class &&
        known.measurement_revision == run.measurement_revision)
      return i;
  shown.series.push_back({row.suite, row.case_id, row.metric, row.unit, row.revision,
                          run.device_class, run.measurement_revision});
  shown.verdicts.emplace_back();
  return shown.series.size() - 1;
}

/// A changed problem starts another series. A regression of the old series can no longer be fixed
/// or accepted, so it is dropped.
void drop_superseded(SiteCase& shown) {
  for (std::size_t i = 0; i < shown.series.size(); ++i)
    for (std::size_t later = i + 1; later < shown.series.size(); ++later)
      if (shown.series[later].metric == shown.series[i].metric &&
          shown.series[later].device_class == shown.series[i].device_class)
        std::erase_if(shown.regressions[i], [](const Regression& found) { return !found.back; });
}

/// Marks regressions that no later run of the suite measures. A failed case counts as measured: it
/// was not removed.
void tell_left(const CaseRowsOverTime& rows, const History& history, const SuiteSizes& sizes,
               SiteCase& shown) {
  const auto last_with = [&](std::string_view device, std::string_view metric) {
    std::size_t last = 0;
    for (const auto& [at, row] : rows.rows)
      if (history.runs[at].device_class == device &&
          (metric.empty() || row->metric.empty() || row->metric == metric))
        last = at;
    return last;
  };
  const auto tell = [&](Regression& found, std::string_view device, std::string_view metric) {
    if (!found.back)
      found.left = left_with(sizes.at({shown.suite, device}), last_with(device, metric));
  };
  for (std::size_t i = 0; i < shown.series.size(); ++i)
    for (Regression& found : shown.regressions[i])
      tell(found, shown.series[i].device_class, shown.series[i].metric);
  for (Regression& found : shown.breakages) tell(found, history.runs[found.from].device_class, "");
}

}  // namespace

std::vector<CaseRowsOverTime> cases_over_time(
    const std::vector<KeyedRun>& runs, const std::function<bool(const std::string& key)>& is_new) {
  std::unordered_map<CaseName, std::size_t, HashOfName> places;
  std::vector<CaseRowsOverTime> cases;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool is_touched = is_new(runs[i].key);
    for (const SiteRow& row : runs[i].run->rows) {
      const auto [place, is_first] = places.try_emplace({row.suite, row.case_id}, cases.size());
      if (is_first) cases.emplace_back();
      cases[place->second].rows.push_back({i, &row});
      cases[place->second].is_touched |= is_touched;
    }
  }
  std::ranges::sort(cases, {}, [](const CaseRowsOverTime& c) {
    return CaseName(c.rows[0].row->suite, c.rows[0].row->case_id);
  });
  return cases;
}

History history_of(const std::vector<KeyedRun>& runs) {
  History history;
  for (const auto& [key, run] : runs)
    history.runs.push_back({key, run->started_at, run->commit, run->device_class, run->device_uuid,
                            run->measurement_revision});
  return history;
}

SuiteSizes suite_sizes(const std::vector<KeyedRun>& runs) {
  SuiteSizes sizes;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::string_view suite, case_id;  // rows of a case are adjacent
    for (const SiteRow& row : runs[i].run->rows) {
      if (row.suite == suite && row.case_id == case_id) continue;
      suite = row.suite;
      case_id = row.case_id;
      std::vector<SuiteSize>& of_suite = sizes[{suite, runs[i].run->device_class}];
      if (of_suite.empty() || of_suite.back().run != i) of_suite.push_back({i, 0});
      ++of_suite.back().cases;
    }
  }
  return sizes;
}

SiteCase read_case(const CaseRowsOverTime& rows, const History& history, const SuiteSizes& sizes,
                   const Decisions& decisions) {
  SiteCase shown;
  shown.suite = rows.rows[0].row->suite;
  shown.case_id = rows.rows[0].row->case_id;
  shown.runs = &history.runs;
  std::vector<std::pair<std::size_t, Status>> outcomes;
  for (const auto& [at, row] : rows.rows) {
    shown.status = name_of(row->status);
    if (outcomes.empty() || outcomes.back() != std::pair(at, row->status))
      outcomes.emplace_back(at, row->status);
    if (row->metric.empty()) {
      shown.absences.push_back({history.runs[at].path, std::string(name_of(row->status)), at});
      continue;
    }
    const std::size_t i = series_for(shown, *row, history.runs[at]);
    shown.series[i].add({.run = std::uint32_t(at), .estimate = row->estimate}, {},
                        {row->low.value_or(kUnknown), row->high.value_or(kUnknown), kUnknown});
    shown.verdicts[i].push_back(row->verdict);
  }
  HistoryRule rule;
  rule.measures_untold_drift = false;
  for (std::size_t i = 0; i < shown.series.size(); ++i) {
    const Series& series = shown.series[i];
    shown.readings.push_back(read_series(history, series, rule));
    shown.regressions.push_back(
        regressions_of(history.runs, series, shown.readings[i], shown.verdicts[i], decisions));
  }
  drop_superseded(shown);
  shown.breakages = breakages_of(history.runs, shown.suite, shown.case_id, outcomes, decisions);
  tell_left(rows, history, sizes, shown);
  return shown;
}

}  // namespace plumbline
