#include "analysis/history/history.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/moment.h"
#include "core/parallel.h"
#include "core/run/case.h"
#include "core/run/run_identity.h"

namespace plumbline {
namespace {

using SeriesKey =
    std::tuple<std::string, std::string, std::string, std::string, std::string, std::string, int>;

template <class Name>
SeriesKey key_of(const PastRun& run, const Name& name) {
  return {name.suite,
          name.case_id,
          name.metric,
          name.unit,
          name.revision,
          run.device_class,
          run.measurement_revision};
}

RunIdentity identity_of(const PastRun& run) {
  return {moment_of_start(run.started_at), run.device_uuid, run.host, run.shard};
}

/// Runs seen so far, so that each counts once.
class Met {
 public:
  /// Sets `same_numbers`, if given, to the path of a run with the same numbers and another start.
  bool is_new(const RunSummary& summary, const std::string** same_numbers = nullptr) {
    const RunIdentity run = identity_of(summary.run);
    if (run.start && !starts_.insert(run).second) return false;
    const auto numbers = summary.stored != 0 ? summary.numbers : numbers_of(summary.rows);
    if (!numbers) return true;
    const auto [place, is_first] = numbers_.try_emplace(*numbers, summary.run.path);
    if (!is_first && same_numbers) *same_numbers = &place->second;
    return is_first;
  }

 private:
  std::set<RunIdentity> starts_;
  std::map<std::uint64_t, std::string> numbers_;
};

/// The value that runs are compared by.
double log_of(const PastValue& value, std::span<const double> visit_logs) {
  return visit_logs.empty() ? std::log(value.estimate) : middle_of_visits(visit_logs);
}

/// Puts the rows of all runs into series.
class HistoryMaker {
 public:
  HistoryMaker(const std::vector<RunSummary>& summaries, bool keeps_spreads)
      : keeps_spreads_(keeps_spreads) {
    std::int64_t most = 0;
    for (const RunSummary& summary : summaries) {
      summaries_.push_back(&summary);
      most = std::max(most, summary.stored);
    }
    std::ranges::stable_sort(summaries_, {},
                             [](const RunSummary* s) { return moment_of(s->run.started_at); });
    runs_.resize(std::size_t(most) + 1, kNone);
    for (std::size_t i = 0; i < summaries_.size(); ++i)
      if (summaries_[i]->stored > 0) runs_[std::size_t(summaries_[i]->stored)] = i;
  }

  /// The rows in memory. `case_id`: "" = all.
  void add_rows(const std::string& case_id) {
    for (std::size_t run = 0; run < summaries_.size(); ++run)
      for (std::size_t i = 0; i < summaries_[run]->rows.size(); ++i) {
        const CaseSummary& row = summaries_[run]->rows[i];
        if (row.metric.empty() || !(row.estimate > 0) || !std::isfinite(row.estimate)) continue;
        if (!case_id.empty() && row.case_id != case_id) continue;
        add(row, run,
            {0, std::uint32_t(i), row.estimate, row.low.value_or(kUnknown),
             row.high.value_or(kUnknown), row.tail, row.visit_means});
      }
  }

  void add_stored(const SeriesName& name, std::span<const StoredRow> rows) {
    bool is_first = true;
    for (const StoredRow& row : rows) {
      if (std::size_t(row.run) >= runs_.size() || runs_[std::size_t(row.run)] == kNone) continue;
      const std::size_t run = runs_[std::size_t(row.run)];
      if (is_first) reserve(series_for(name, summaries_[run]->run).series, rows);
      is_first = false;
      add(name, run, row);
    }
  }

  History made() {
    for_each_index(series_.size(), [&](std::size_t i) { take_logs(series_[i].series); });
    std::vector<std::size_t> order(series_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return series_[i].first; });
    History history;
    for (const RunSummary* summary : summaries_) history.runs.push_back(summary->run);
    for (const std::size_t i : order) {
      Series& series = series_[i].series;
      sort_by_run(series);
      history.series.push_back(std::move(series));
    }
    return history;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  using Place = std::pair<std::size_t, std::uint32_t>;  // a run, and the position in it
  struct Making {
    Series series;
    Place first;
  };

  template <class Name>
  Making& series_for(const Name& name, const PastRun& run) {
    // Rows of a stored series come together.
    if (last_ < series_.size())
      if (const Series& s = series_[last_].series;
          s.case_id == name.case_id && s.metric == name.metric && s.suite == name.suite &&
          s.unit == name.unit && s.revision == name.revision &&
          s.device_class == run.device_class && s.measurement_revision == run.measurement_revision)
        return series_[last_];
    const auto [place, is_new] = places_.try_emplace(key_of(run, name), series_.size());
    if (is_new)
      series_.push_back({{name.suite, name.case_id, name.metric, name.unit, name.revision,
                          run.device_class, run.measurement_revision},
                         {kNone, 0}});
    last_ = place->second;
    return series_[last_];
  }

  /// Until here, `visit_logs` holds means.
  static void take_logs(Series& series) {
    for (double& visit : series.visit_logs) visit = std::log(visit);
    for (PastValue& value : series.values) value.log = log_of(value, series.visits_of(value));
  }

  static void sort_by_run(Series& series) {
    if (std::ranges::is_sorted(series.values, {}, &PastValue::run)) return;
    if (!series.spreads.empty()) {
      std::vector<std::size_t> order(series.values.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::stable_sort(order, {}, [&](std::size_t i) { return series.values[i].run; });
      std::vector<PastSpread> spreads;
      for (const std::size_t i : order) spreads.push_back(series.spreads[i]);
      series.spreads = std::move(spreads);
    }
    std::ranges::stable_sort(series.values, {}, &PastValue::run);
  }

  /// Exact, because histories fill the memory.
  void reserve(Series& series, std::span<const StoredRow> rows) const {
    std::size_t visits = series.visit_logs.size();
    for (const StoredRow& row : rows) visits += row.visit_means.size();
    series.values.reserve(series.values.size() + rows.size());
    series.visit_logs.reserve(visits);
    if (keeps_spreads_) series.spreads.reserve(series.spreads.size() + rows.size());
  }

  template <class Name>
  void add(const Name& name, std::size_t run, const StoredRow& row) {
    Making& making = series_for(name, summaries_[run]->run);
    making.first = std::min(making.first, Place(run, row.position));
    Series& series = making.series;
    const bool are_times =
        std::ranges::all_of(row.visit_means, [](double mean) { return mean > 0; });
    const auto means = are_times ? row.visit_means : std::span<const double>();
    series.values.push_back({.run = std::uint32_t(run),
                             .first_visit = std::uint32_t(series.visit_logs.size()),
                             .visits = std::uint32_t(means.size()),
                             .estimate = row.estimate});
    series.visit_logs.insert(series.visit_logs.end(), means.begin(), means.end());
    if (keeps_spreads_)
      series.spreads.push_back(
          {row.low, row.high, std::isfinite(row.tail) ? std::log1p(row.tail) : kUnknown});
  }

  bool keeps_spreads_;
  std::vector<const RunSummary*> summaries_;  // in the order of time
  std::vector<std::size_t> runs_;             // of each stored run: its index
  std::vector<Making> series_;
  std::map<SeriesKey, std::size_t> places_;
  std::size_t last_ = kNone;
};

}  // namespace

void Series::add(PastValue value, std::span<const double> logs) {
  value.first_visit = std::uint32_t(visit_logs.size());
  value.visits = std::uint32_t(logs.size());
  value.log = log_of(value, logs);
  visit_logs.insert(visit_logs.end(), logs.begin(), logs.end());
  values.push_back(value);
}

void Series::add(const PastValue& value, std::span<const double> logs, const PastSpread& spread) {
  add(value, logs);
  spreads.push_back(spread);
}

std::optional<std::uint64_t> numbers_of(std::span<const CaseSummary> rows) {
  constexpr std::size_t kDifferent = 8;
  std::set<double> different;
  std::uint64_t hash = 0;
  for (const CaseSummary& row : rows) {
    if (row.unit != "s" || !std::isfinite(row.estimate)) continue;
    if (different.size() < kDifferent) different.insert(row.estimate);
    hash = stable_hash(row.suite + '\n' + row.case_id + '\n' + row.metric,
                       hash ^ std::bit_cast<std::uint64_t>(row.estimate));
  }
  return different.size() < kDifferent ? std::nullopt : std::optional(hash);
}

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

History make_history(const std::vector<RunSummary>& summaries, const std::string& case_id,
                     bool keeps_spreads) {
  HistoryMaker maker(summaries, keeps_spreads);
  maker.add_rows(case_id);
  return maker.made();
}

History make_history(const std::vector<RunSummary>& summaries, const StoredRows& stored,
                     const std::string& case_id, bool keeps_spreads) {
  HistoryMaker maker(summaries, keeps_spreads);
  maker.add_rows(case_id);
  stored.read(case_id, [&](const SeriesName& name, std::span<const StoredRow> rows) {
    maker.add_stored(name, rows);
  });
  return maker.made();
}

}  // namespace plumbline
