#include "analysis/confirm/judge_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/estimate/estimate.h"
#include "analysis/variance/sensitivity.h"
#include "core/error.h"
#include "core/run/metric.h"
#include "stats/descriptive.h"
#include "stats/hodges_lehmann.h"
#include "stats/multiplicity.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr std::size_t kPairsNeeded = 2;
constexpr std::size_t kVisitsOfASide = 2;

using SeriesKey = std::tuple<std::string_view, std::string_view, std::string_view>;

/// The visits of one pair of one series, by side.
using FourVisits = std::array<std::vector<const ResultRow*>, 2>;

struct Gathered {
  std::string_view unit;
  std::map<std::int64_t, FourVisits> pairs;
};

bool lost_blocks(const ResultRow& row) {
  for (std::size_t i = 0; i < row.samples.blocks(); ++i)
    if (!counts(row, i)) return true;
  return row.status == Status::throttled;
}

/// Mean log of the first `blocks` blocks' medians; nothing if a median is not above 0.
std::optional<double> log_mean(const ResultRow& row, std::size_t blocks) {
  double sum = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const double middle = median(row.samples.block(i));
    if (!(middle > 0)) return std::nullopt;
    sum += std::log(middle);
  }
  return sum / double(blocks);
}

std::optional<double> difference(const FourVisits& visits) {
  std::size_t blocks = SIZE_MAX;
  for (const auto& side : visits) {
    if (side.size() != kVisitsOfASide) return std::nullopt;
    for (const ResultRow* row : side) blocks = std::min(blocks, row->samples.blocks());
  }
  if (blocks == 0) return std::nullopt;
  std::array<double, 2> means{};
  for (std::size_t side = 0; side < visits.size(); ++side)
    for (const ResultRow* row : visits[side]) {
      const std::optional<double> value = log_mean(*row, blocks);
      if (!value) return std::nullopt;
      means[side] += *value / double(kVisitsOfASide);
    }
  return means[1] - means[0];
}

bool is_hit(const FourVisits& visits) {
  for (const auto& side : visits)
    if (std::ranges::any_of(side, [](const ResultRow* row) { return lost_blocks(*row); }))
      return true;
  return false;
}

PairedJudgement measured(const PairedSeries& series, double level) {
  PairedJudgement found;
  found.pairs = series.differences.size();
  if (found.pairs < kPairsNeeded) return found;
  const auto n = static_cast<double>(found.pairs);
  const double error = standard_deviation(series.differences) / std::sqrt(n);
  const double middle = mean(series.differences);
  const OrderInterval ranked = hodges_lehmann(series.differences, 1 - level);
  // With few pairs, no interval of ranks reaches this coverage.
  const Interval interval =
      ranked.coverage >= 1 - level ? ranked.interval : mean_interval(series.differences, 1 - level);
  found.change = ranked.interval.center;
  found.low = interval.low;
  found.high = interval.high;
  found.p_value = error > 0 ? student_t_two_sided_p(middle / error, n - 1) : middle == 0 ? 1 : 0;
  found.detectable = (student_t_quantile(1 - level / 2, n - 1) + kPower80) * error;
  return found;
}

Verdict decide(const PairedJudgement& found, double floor, double margin, double level,
               bool is_more_better) {
  const double sign = is_more_better ? -1 : 1;  // above 0: worse
  const bool counts = found.adjusted_p <= level && std::abs(found.change) >= std::log1p(floor);
  if (counts && (sign > 0 ? found.low > 0 : found.high < 0)) return Verdict::slower;
  if (counts && (sign > 0 ? found.high < 0 : found.low > 0)) return Verdict::faster;
  const double limit = std::log1p(margin);
  if (found.low > -limit && found.high < limit) return Verdict::same;
  return Verdict::unresolved;
}

Verdict looks_of(Verdict verdict) {
  if (verdict == Verdict::slower) return Verdict::looks_slower;
  return verdict == Verdict::faster ? Verdict::looks_faster : Verdict::unresolved;
}

}  // namespace

std::vector<PairedSeries> paired_series(const Run& a, const Run& b) {
  std::map<SeriesKey, std::size_t> positions;
  std::vector<SeriesKey> keys;
  std::vector<Gathered> gathered;
  for (const Run* run : {&a, &b})
    for (const ResultRow& row : run->rows) {
      if (row.metric.empty() || !has_samples(row.status) || row.samples.empty()) continue;
      const SeriesKey key(row.suite, row.case_id, row.metric);
      const auto [place, is_new] = positions.try_emplace(key, gathered.size());
      if (is_new && run == &b) {  // only B measured it: no pair
        positions.erase(place);
        continue;
      }
      if (is_new) {
        keys.push_back(key);
        gathered.push_back({row.unit, {}});
      }
      gathered[place->second].pairs[row.round][run == &b].push_back(&row);
    }
  std::vector<PairedSeries> all;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    PairedSeries& series = all.emplace_back();
    std::tie(series.suite, series.case_id, series.metric) = keys[i];
    series.unit = gathered[i].unit;
    for (const auto& [pair, visits] : gathered[i].pairs) {
      const bool discards = is_hit(visits);
      series.discarded += discards;
      if (const auto d = discards ? std::nullopt : difference(visits))
        series.differences.push_back(*d);
    }
  }
  return all;
}

PairedRule default_paired_rule(std::string_view device_kind) {
  PairedRule rule;
  if (device_kind == "cuda") return rule;
  // Processes on shared CPUs differ by 3-5 %: 48 pairs leave an interval of about 2 %.
  rule.effect_floor = 0.03;
  rule.margin = 0.05;
  rule.early_floor = 0.25;
  return rule;
}

void require_rule(const PairedRule& rule) {
  if (rule.looks.empty() || !std::ranges::is_sorted(rule.looks, std::ranges::less_equal{}) ||
      rule.looks.front() < kPairsNeeded)
    throw Error("the looks are numbers of pairs from 2 up, each larger than the one before");
  if (!(rule.false_discovery_rate > 0 && rule.false_discovery_rate < 1) || !(rule.margin > 0) ||
      !(rule.effect_floor >= 0) || !(rule.early_floor >= 0))
    throw Error("rule of pairs: a rate in (0, 1), a margin above 0, floors of at least 0");
}

std::vector<PairedJudgement> judge_pairs(const std::vector<PairedSeries>& series,
                                         const std::vector<double>& floors, const PairedRule& rule,
                                         std::size_t look) {
  require_rule(rule);
  if (look >= rule.looks.size()) throw Error("there is no look " + std::to_string(look + 1));
  if (floors.size() != series.size()) throw Error("judge_pairs: a floor for each series is needed");
  const double level = rule.false_discovery_rate / double(rule.looks.size());
  std::vector<PairedJudgement> judged;
  std::vector<double> p_values;
  for (const PairedSeries& one : series) {
    judged.push_back(measured(one, level));
    p_values.push_back(judged.back().p_value);
  }
  const std::vector<double> adjusted = benjamini_hochberg(p_values);
  for (std::size_t i = 0; i < series.size(); ++i) {
    PairedJudgement& found = judged[i];
    found.adjusted_p = adjusted[i];
    if (found.pairs < kPairsNeeded) continue;
    const Metric* const known = find_metric(series[i].metric);
    const double floor =
        found.pairs < kPairsForSmall ? std::max(floors[i], rule.early_floor) : floors[i];
    const double margin =
        found.pairs < kPairsForSame ? std::min(rule.margin, floors[i]) : rule.margin;
    const bool is_more_better = known != nullptr && known->is_more_better;
    found.verdict = decide(found, floor, margin, level, is_more_better);
    if (found.verdict == Verdict::unresolved)
      found.looks = looks_of(decide(found, floors[i], margin, level, is_more_better));
  }
  return judged;
}

std::vector<Verdict> verdicts_by_looks(const std::vector<PairedSeries>& series,
                                       const std::vector<double>& floors, const PairedRule& rule) {
  std::vector<Verdict> verdicts(series.size(), Verdict::unresolved);
  for (std::size_t look = 0; look < rule.looks.size(); ++look) {
    std::vector<std::size_t> open;
    std::vector<PairedSeries> judged;
    std::vector<double> their_floors;
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (verdicts[i] != Verdict::unresolved || series[i].differences.size() < rule.looks[look])
        continue;
      open.push_back(i);
      judged.push_back(series[i]);
      judged.back().differences.resize(rule.looks[look]);
      their_floors.push_back(floors[i]);
    }
    const std::vector<PairedJudgement> found = judge_pairs(judged, their_floors, rule, look);
    for (std::size_t k = 0; k < open.size(); ++k) verdicts[open[k]] = found[k].verdict;
  }
  return verdicts;
}

}  // namespace plumbline
