#include "analysis/variance/variance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "analysis/variance/block_variance.h"
#include "core/error.h"
#include "core/natural_order.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr std::size_t kFarthestPair = 16;  // samples of a block are paired up to this distance

/// |differences| of the samples of a block relative to `mean`. Differences need no location
/// estimate, so short blocks are not biased. Near neighbours give enough pairs.
void add_differences(const ResultRow& row, double mean, std::vector<double>& differences) {
  for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
    if (!counts(row, i)) continue;
    const std::span<const double> block = row.samples.block(i);
    for (std::size_t lag = 1; lag <= kFarthestPair; ++lag)
      for (std::size_t j = lag; j < block.size(); ++j)
        differences.push_back(std::abs(block[j] - block[j - lag]) / mean);
  }
}

/// Two-sided sign test: the probability of counts at least this unequal by chance.
double sign_test(std::size_t rising, std::size_t falling) {
  const std::size_t n = rising + falling;
  if (n == 0) return kUnknown;
  double tail = 0;
  for (std::size_t k = std::max(rising, falling); k <= n; ++k)
    tail += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) -
                     static_cast<double>(n) * std::numbers::ln2);
  return std::min(1.0, 2 * tail);
}

Trend trend_of(const std::vector<LineFit>& fits, const BlockVariances& blocks) {
  Trend trend;
  if (fits.empty()) return trend;
  std::vector<double> changes, slopes;
  double explained = 0, df = 0;
  const bool is_separate = std::isfinite(blocks.placement);
  for (const LineFit& fit : fits) {
    slopes.push_back(fit.slope);
    changes.push_back(fit.slope * fit.length_s);
    trend.rising += fit.slope > 0;
    trend.falling += fit.slope < 0;
    explained += fit.explained -
                 (is_separate ? blocks.revisit + blocks.placement * fit.placements : blocks.block);
    df += static_cast<double>(fit.blocks - 1);
  }
  trend.per_second = mean(slopes);
  trend.change = mean(changes);
  trend.sign_p = sign_test(trend.rising, trend.falling);
  trend.variance = std::max(0.0, explained / df);
  trend.error =
      fits.size() > 1
          ? standard_deviation(changes) / std::sqrt(static_cast<double>(fits.size()))
          : std::sqrt(std::max(0.0, blocks.block) / fits[0].times_square) * fits[0].length_s;
  return trend;
}

/// One run's visits of a case × metric.
struct RunVisits {
  std::string_view device;
  std::vector<VisitBlocks> visits;
  std::vector<double> logs;    // of the visits' means
  std::vector<double> errors;  // variance of each visit that its blocks explain
};

double visit_error(const VisitBlocks& visit, const BlockVariances& blocks) {
  const double n = static_cast<double>(visit.size());
  if (std::isfinite(blocks.placement) && !visit.places.empty())
    return blocks.placement * place_weight(visit) + blocks.revisit / n;
  return blocks.block / n;
}

/// The mean over a run's visits, and the part of its variance that the visits explain.
struct RunMean {
  std::string_view device;
  double mean = 0, error = 0;
};

/// Runs nested in devices: sums of squares within and between devices, with their expectations.
struct NestedSums {
  double devices = 0;
  double within = 0, within_errors = 0;
  double between = 0, between_errors = 0, weight = 0;  // weight: of a device in `between`
};

NestedSums nested_sums(const std::vector<RunMean>& runs) {
  std::map<std::string_view, std::vector<const RunMean*>> by_device;
  for (const RunMean& run : runs) by_device[run.device].push_back(&run);
  const auto all = double(runs.size());
  double middle = 0;
  for (const RunMean& run : runs) middle += run.mean / all;
  NestedSums sums{.devices = double(by_device.size()), .weight = all};
  for (const auto& [device, members] : by_device) {
    const auto n = double(members.size());
    double center = 0, errors = 0;
    for (const RunMean* run : members) center += run->mean / n, errors += run->error;
    for (const RunMean* run : members) sums.within += (run->mean - center) * (run->mean - center);
    sums.within_errors += errors * (1 - 1 / n);
    sums.between += n * (center - middle) * (center - middle);
    sums.between_errors += errors / n * (1 - n / all);
    sums.weight -= n * n / all;
  }
  return sums;
}

/// If each device has one run, `run` includes the difference between devices.
void add_runs_and_devices(const std::vector<RunMean>& runs, CaseVariance& found) {
  NestedSums sums = nested_sums(runs);
  const auto count = double(runs.size());
  const bool is_known =
      std::ranges::none_of(runs, [](const RunMean& run) { return run.device.empty(); });
  found.run_holds_devices = is_known && sums.devices > 1 && sums.devices == count;
  if (!is_known || found.run_holds_devices) {
    std::vector<RunMean> alike = runs;
    for (RunMean& run : alike) run.device = "";
    sums = nested_sums(alike);
  }
  Component &run = found.of(Level::run), &device = found.of(Level::device);
  run.df = count - sums.devices;
  run.variance = std::max(0.0, (sums.within - sums.within_errors) / run.df);
  device.df = sums.devices - 1;
  if (device.df < 1) return;
  device.variance =
      std::max(0.0, (sums.between - sums.between_errors - run.variance * device.df) / sums.weight);
}

/// Levels between visits of a run, between runs and between devices, from the visits' logs; see
/// variance.h.
void add_upper_levels(const std::vector<RunVisits>& runs, CaseVariance& found) {
  double between = 0, errors = 0, df = 0;
  std::vector<double> means;
  for (const RunVisits& run : runs) {
    const double visits = static_cast<double>(run.logs.size());
    means.push_back(mean(run.logs));
    for (std::size_t i = 0; i < run.logs.size(); ++i) {
      between += (run.logs[i] - means.back()) * (run.logs[i] - means.back());
      errors += run.errors[i] * (1 - 1 / visits);
    }
    df += visits - 1;
  }
  Component& process = found.of(Level::process);
  process.df = df;
  if (df >= kLeastDf) process.variance = std::max(0.0, (between - errors) / df);
  if (runs.size() < 2 || df < kLeastDf) return;
  std::vector<RunMean> of_runs;
  for (std::size_t i = 0; i < runs.size(); ++i)
    of_runs.push_back({runs[i].device, means[i], between / df / double(runs[i].logs.size())});
  add_runs_and_devices(of_runs, found);
}

/// What each level adds to the variance of an estimate, mean over runs.
void add_shares(const std::vector<RunVisits>& runs, CaseVariance& found) {
  const double launch = found.of(Level::launch).variance;
  std::array<double, kLevelNames.size()> shares{};
  const auto share = [&](Level level) -> double& {
    return shares[static_cast<std::size_t>(level)];
  };
  for (const RunVisits& run : runs) {
    const double visits = static_cast<double>(run.logs.size());
    for (const VisitBlocks& visit : run.visits) {
      const double weight = 1 / (visits * visits), n = static_cast<double>(visit.size());
      const double of_launches = std::isfinite(launch) ? launch * visit.per_launch : 0;
      const auto beyond = [&](Level level) {
        return weight / n * std::max(0.0, found.of(level).variance - of_launches);
      };
      share(Level::launch) += weight / n * launch * visit.per_launch;
      share(Level::revisit) += beyond(Level::revisit);
      share(Level::block) += beyond(Level::block);
      share(Level::placement) += weight * found.of(Level::placement).variance * place_weight(visit);
    }
    share(Level::process) += found.of(Level::process).variance / visits;
    share(Level::run) += found.of(Level::run).variance;
    share(Level::device) += found.of(Level::device).variance;
  }
  double most = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const bool is_told_apart =
        static_cast<Level>(i) == Level::block && std::isfinite(found.of(Level::placement).variance);
    if (std::isnan(found.levels[i].variance) || is_told_apart) continue;
    found.levels[i].in_estimate = shares[i] / static_cast<double>(runs.size());
    if (!(found.levels[i].in_estimate > most)) continue;
    most = found.levels[i].in_estimate;
    found.dominant = static_cast<Level>(i);
  }
}

void set_variance(Component& component, double variance, double df) {
  component.df = df;
  if (std::isfinite(variance)) component.variance = std::max(0.0, variance);
}

/// Fills everything except identity and estimates, from runs whose visits have means above 0.
void add_levels(std::vector<RunVisits>& runs, const std::vector<double>& differences,
                CaseVariance& found) {
  BlockMoments sum;
  std::vector<LineFit> fits;
  double launch_df = 0;
  for (const RunVisits& run : runs)
    for (const VisitBlocks& visit : run.visits) {
      if (const std::optional<LineFit> fit = add_moments(visit, sum)) fits.push_back(*fit);
      launch_df += static_cast<double>(visit.samples - visit.size());
    }
  if (!differences.empty()) {
    const double sd = median(differences) * kSdPerMad / std::numbers::sqrt2;
    set_variance(found.of(Level::launch), sd * sd, launch_df);
  }
  const BlockVariances blocks = solve(sum);
  set_variance(found.of(Level::revisit), blocks.revisit, blocks.revisit_df);
  set_variance(found.of(Level::placement), blocks.placement, blocks.placement_df);
  set_variance(found.of(Level::block), blocks.block, sum.df);
  found.trend = trend_of(fits, blocks);
  for (RunVisits& run : runs)
    for (const VisitBlocks& visit : run.visits) run.errors.push_back(visit_error(visit, blocks));
  add_upper_levels(runs, found);
  if (std::isnan(blocks.block)) found.of(Level::process).variance = kUnknown;
  add_shares(runs, found);
}

/// Spreads between runs are only meaningful if the runs measured the same thing on like devices.
void require_alike(const Run& first, const Run& other) {
  const auto refuse = [&](const char* what, const std::string& a, const std::string& b) {
    throw Error(other.path + ": found " + what + " '" + b + "', expected '" + a + "' as in " +
                first.path + "; a variance table is of runs of one device class and meaning");
  };
  const std::string &a = first.info.environment.device_class,
                    &b = other.info.environment.device_class;
  if (a != b) refuse("device class", a, b);
  const int old_revision = first.info.measurement_revision,
            revision = other.info.measurement_revision;
  if (old_revision != revision)
    refuse("measurement revision", std::to_string(old_revision), std::to_string(revision));
}

}  // namespace

double Component::sd() const { return std::sqrt(variance); }

CaseVariance case_variance(std::span<const VarianceInput> runs) {
  CaseVariance found;
  std::vector<RunVisits> measured;
  std::vector<double> differences, logs;
  for (const auto& [metric, device] : runs) {
    found.estimates.push_back(kUnknown);
    if (metric.rows.empty()) continue;
    found.metric = metric.metric;
    found.unit = metric.unit;
    const Estimate value = estimate(metric.rows);
    found.estimates.back() = value.value;
    if (value.logs.empty()) found.reason = "not above 0 in every visit: no relative spread";
    RunVisits& run = measured.emplace_back();
    run.device = device;
    run.logs = value.logs;
    for (std::size_t i = 0; i < metric.rows.size(); ++i) {
      const double center = value.visits[i].mean;
      const VisitBlocks& visit = run.visits.emplace_back(blocks_of(*metric.rows[i], center));
      add_differences(*metric.rows[i], center, differences);
      found.blocks += visit.size();
      found.samples += visit.samples;
      found.set_aside += visit.set_aside;
    }
    found.visits += run.visits.size();
    if (!value.logs.empty()) logs.push_back(std::log(value.value));
  }
  std::set<std::string_view> devices;
  for (const RunVisits& run : measured) devices.insert(run.device);
  found.devices = devices.contains("") ? 0 : devices.size();
  if (measured.empty()) found.reason = "no block that counts";
  if (!found.reason.empty()) return found;
  found.estimate = std::exp(mean(logs));
  add_levels(measured, differences, found);
  return found;
}

std::vector<CaseVariance> variance_table(std::span<const Run> runs) {
  struct Found {
    const CaseRows* identity;
    std::vector<VarianceInput> runs;
  };
  std::vector<std::vector<CaseRows>> cases;
  for (const Run& run : runs) {
    require_alike(runs[0], run);
    cases.push_back(rows_by_case(run));
  }
  using Key = std::array<std::string_view, 5>;
  std::map<Key, std::size_t> places;
  std::vector<Found> order;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const CaseRows& one : cases[i])
      for (const MetricRows& metric : one.metrics) {
        const Key key{one.suite, one.case_id, one.revision, metric.metric, metric.unit};
        const auto [place, is_new] = places.try_emplace(key, order.size());
        if (is_new) order.push_back({&one, std::vector<VarianceInput>(runs.size())});
        order[place->second].runs[i] = {metric, one.device.empty()
                                                    ? runs[i].info.environment.device_uuid()
                                                    : std::string(one.device)};
      }
  std::vector<CaseVariance> table;
  table.reserve(order.size());
  for (const Found& found : order) {
    CaseVariance& row = table.emplace_back(case_variance(found.runs));
    row.suite = found.identity->suite;
    row.case_id = found.identity->case_id;
    row.revision = found.identity->revision;
  }
  // Rounds measure cases in random order, which readers cannot use.
  std::ranges::stable_sort(table, [](const CaseVariance& a, const CaseVariance& b) {
    return a.suite == b.suite ? in_natural_order(a.case_id, b.case_id) : a.suite < b.suite;
  });
  return table;
}

std::vector<MetricVariance> variance_by_metric(std::span<const CaseVariance> table) {
  std::vector<MetricVariance> metrics;
  std::vector<std::array<std::vector<double>, kLevelNames.size() + 1>> known;  // trend comes last
  for (const CaseVariance& row : table) {
    auto place = std::ranges::find(metrics, row.metric, &MetricVariance::metric);
    const auto i = static_cast<std::size_t>(place - metrics.begin());
    if (place == metrics.end()) {
      metrics.push_back({.metric = row.metric});
      known.emplace_back();
    }
    ++metrics[i].cases;
    if (row.dominant) ++metrics[i].dominated_by[static_cast<std::size_t>(*row.dominant)];
    for (std::size_t level = 0; level < row.levels.size(); ++level)
      if (const double sd = row.levels[level].sd(); std::isfinite(sd))
        known[i][level].push_back(sd);
    if (std::isfinite(row.trend.change)) known[i].back().push_back(std::abs(row.trend.change));
  }
  const auto median_or_unknown = [](const std::vector<double>& values) {
    return values.empty() ? kUnknown : median(values);
  };
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    for (std::size_t level = 0; level < metrics[i].sd.size(); ++level)
      metrics[i].sd[level] = median_or_unknown(known[i][level]);
    metrics[i].trend = median_or_unknown(known[i].back());
  }
  return metrics;
}

}  // namespace plumbline
