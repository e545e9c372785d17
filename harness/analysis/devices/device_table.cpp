#include "analysis/devices/device_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/compare/compare.h"
#include "analysis/compare/environment_changes.h"
#include "analysis/compare/status_decision.h"
#include "analysis/devices/device_columns.h"
#include "analysis/devices/device_summary.h"
#include "analysis/estimate/achieved.h"
#include "analysis/estimate/estimate.h"
#include "analysis/estimate/ratio.h"
#include "core/error.h"
#include "core/natural_order.h"
#include "core/run/case.h"
#include "core/run/direction.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr double kConfidence = 0.99;
constexpr double kLaunches = 1e6;  // a price is for this many launches

std::optional<double> known(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// One side of a cell, while the table is made.
struct Side {
  const CaseRows* found = nullptr;
  const MetricRows* rows = nullptr;
  Estimate estimate;
};

/// Why a device has no value of the metric.
std::string absence(const Side& side, std::string_view metric) {
  if (!side.found) return "no such case in this run";
  if (!side.found->measured()) return status_text(*side.found);
  if (const auto why = side.found->absent.find(metric); why != side.found->absent.end())
    return why->second;
  std::string others;
  for (const MetricRows& rows : side.found->metrics)
    others += (others.empty() ? "" : ", ") + std::string(rows.metric);
  return "measured by another metric: " + others;
}

std::string dtype_of(std::string_view case_id) {
  for (const auto& [key, value] : case_id_parts(std::string(case_id)))
    if (key == "dtype") return value;
  return "";
}

/// Why two values of a case cannot be compared, or "".
std::string obstacle(const Side& reference, const RunInfo& of_reference, const Side& side,
                     const RunInfo& info) {
  if (reference.found->revision != side.found->revision)
    return fmt::format("revision {} is another problem than revision {} of the reference",
                       side.found->revision, reference.found->revision);
  if (of_reference.measurement_revision != info.measurement_revision)
    return fmt::format("the metric has another meaning: measurement revision {}, the reference {}",
                       info.measurement_revision, of_reference.measurement_revision);
  if (reference.rows->unit != side.rows->unit)
    return fmt::format("unit {}, the reference has {}", side.rows->unit, reference.rows->unit);
  const std::string &ours = info.environment.numerics, &theirs = of_reference.environment.numerics;
  const std::string dtype = dtype_of(side.found->case_id);
  if (ours != theirs && !ours.empty() && !theirs.empty() && (dtype.empty() || dtype == "float32"))
    return fmt::format(
        "numeric switches {}, the reference has {}: float32 is computed in another "
        "way",
        ours, theirs);
  return "";
}

void set_ratio(const Side& reference, const Side& side, bool is_more_better, DeviceCell& cell) {
  const auto ratio = is_more_better ? ratio_of(side.estimate, reference.estimate, kConfidence)
                                    : ratio_of(reference.estimate, side.estimate, kConfidence);
  if (!ratio) {
    cell.reason = "0: no ratio";
    return;
  }
  cell.ratio = ratio->value;
  if (&reference == &side) return;
  cell.ratio_low = ratio->low;
  cell.ratio_high = ratio->high;
}

DeviceCell cell_of(const Side& side, const DeviceColumn& column) {
  DeviceCell cell;
  cell.value = known(side.estimate.value);
  cell.visits = side.estimate.visits.size();
  if (side.estimate.logs.size() > 1) {
    const Interval interval = mean_interval(side.estimate.logs, kConfidence);
    cell.low = std::exp(interval.low);
    cell.high = std::exp(interval.high);
  }
  const Achieved rates = achieved(*side.rows, side.estimate, column.run->info);
  cell.flops_per_s = known(rates.flops_per_s);
  cell.bytes_per_s = known(rates.bytes_per_s);
  cell.share = known(rates.share());
  cell.flops_peak = known(rates.flops_peak);
  cell.flops_dtype = rates.flops_dtype;
  for (const ResultRow* row : side.rows->rows) {
    if (row->error_rel_l2 >= cell.error.value_or(0)) cell.error = row->error_rel_l2;
    if (!std::isnan(row->tolerance)) cell.tolerance = row->tolerance;
  }
  if (side.rows->unit != "s" || !cell.value) return cell;
  if (column.price_per_h) cell.price = *cell.value / 3600 * *column.price_per_h * kLaunches;
  if (column.power_w) cell.energy = *cell.value * *column.power_w;
  return cell;
}

using RowKey = std::tuple<std::string_view, std::string_view, std::string_view>;

/// Sides of each case × metric, by column. Runs measure cases in random order: cases are sorted by
/// size, and the metrics of a case by first appearance.
struct Sides {
  std::vector<RowKey> order;
  std::map<RowKey, std::vector<Side>> of;
};

bool is_asked(const MetricRows& rows, const DeviceOptions& options) {
  if (options.metrics.empty()) return is_judged(rows.metric);
  return std::ranges::find(options.metrics, rows.metric) != options.metrics.end();
}

/// FLOPs of a launch, else its bytes, else 0.
double size_of(const std::vector<Side>& row) {
  const Side& any = *std::ranges::find_if(row, [](const Side& side) { return side.rows; });
  const ResultRow& first = *any.rows->rows.front();
  return first.flops > 0 ? first.flops : first.bytes > 0 ? first.bytes : 0;
}

/// Sorts by suite and op, then from small to large; equal sizes in natural order.
void sort_by_size(Sides& sides) {
  std::map<RowKey, std::pair<std::string, double>> kinds;
  for (const auto& [key, row] : sides.of) {
    const std::string_view id = std::get<1>(key);
    kinds[key] = {std::string(id.substr(0, id.find('/'))), size_of(row)};
  }
  std::ranges::stable_sort(sides.order, [&](const RowKey& a, const RowKey& b) {
    if (std::get<0>(a) != std::get<0>(b)) return std::get<0>(a) < std::get<0>(b);
    const auto &one = kinds.at(a), &other = kinds.at(b);
    if (one != other) return one < other;
    return in_natural_order(std::get<1>(a), std::get<1>(b));
  });
}

/// Each case of any column, by suite and id: its rows in each column, nullptr where it has none.
using HeldCases =
    std::map<std::pair<std::string_view, std::string_view>, std::vector<const CaseRows*>>;

HeldCases held_cases(const std::vector<std::vector<CaseRows>>& cases) {
  HeldCases held;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const CaseRows& found : cases[i]) {
      auto& columns = held[{found.suite, found.case_id}];
      columns.resize(cases.size());
      columns[i] = &found;
    }
  return held;
}

Sides sides_of(const std::vector<std::vector<CaseRows>>& cases, const HeldCases& held,
               std::size_t reference, const DeviceOptions& options) {
  Sides sides;
  const auto add = [&](const CaseRows& found) {
    for (const MetricRows& rows : found.metrics) {
      const RowKey key{found.suite, found.case_id, rows.metric};
      if (!is_asked(rows, options) || sides.of.contains(key)) continue;
      sides.order.push_back(key);
      std::vector<Side>& row = sides.of[key];
      for (const CaseRows* one : held.at({found.suite, found.case_id})) {
        Side& side = row.emplace_back();
        side.found = one;
        if (!one) continue;
        const auto place = std::ranges::find(one->metrics, rows.metric, &MetricRows::metric);
        if (place == one->metrics.end()) continue;
        side.rows = &*place;
        side.estimate = estimate(place->rows);
      }
    }
  };
  for (const CaseRows& found : cases[reference]) add(found);
  for (const auto& column : cases)
    for (const CaseRows& found : column) add(found);
  sort_by_size(sides);
  return sides;
}

DeviceRow row_of(const RowKey& key, const std::vector<Side>& sides, const DeviceTable& table) {
  const Side& reference = sides[table.reference];
  const Side& any = *std::ranges::find_if(sides, [](const Side& side) { return side.rows; });
  DeviceRow row;
  row.suite = std::get<0>(key);
  row.case_id = std::get<1>(key);
  row.metric = std::get<2>(key);
  row.op = any.found->op;
  row.backend = any.found->backend;
  row.unit = reference.rows ? reference.rows->unit : any.rows->unit;
  row.flops = any.rows->rows.front()->flops;
  row.bytes = any.rows->rows.front()->bytes;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    DeviceCell& cell = row.cells.emplace_back();
    if (!sides[i].rows || is_failure(sides[i].found->status)) {
      cell.reason = sides[i].rows ? status_text(*sides[i].found) : absence(sides[i], row.metric);
      continue;
    }
    cell = cell_of(sides[i], table.columns[i]);
    if (!reference.rows || is_failure(reference.found->status))
      cell.reason =
          "the reference has no value: " +
          (reference.rows ? status_text(*reference.found) : absence(reference, row.metric));
    else
      cell.reason = obstacle(reference, table.columns[table.reference].run->info, sides[i],
                             table.columns[i].run->info);
    if (!cell.reason.empty()) continue;
    const RunInfo& info = table.columns[i].run->info;
    if (const auto better = better_of(info, row.metric, row.unit))
      set_ratio(reference, sides[i], *better == Better::more, cell);
    else
      cell.reason = unknown_direction_text(row.metric);
  }
  return row;
}

/// For each case that has rows, in their order.
std::vector<CaseStory> stories_of(const DeviceTable& table, const HeldCases& held) {
  std::vector<CaseStory> stories;
  for (const DeviceRow& row : table.rows) {
    if (!stories.empty() && stories.back().suite == row.suite &&
        stories.back().case_id == row.case_id)
      continue;
    CaseStory story = story_of(held.at({row.suite, row.case_id}), table.reference);
    story.suite = row.suite;
    story.case_id = row.case_id;
    stories.push_back(std::move(story));
  }
  return stories;
}

void require_metrics(const std::vector<std::vector<CaseRows>>& cases,
                     const DeviceOptions& options) {
  std::set<std::string_view> held;
  for (const auto& column : cases)
    for (const CaseRows& found : column)
      for (const MetricRows& rows : found.metrics) held.insert(rows.metric);
  std::string all;
  for (const std::string_view name : held) all += (all.empty() ? "" : ", ") + std::string(name);
  for (const std::string& metric : options.metrics)
    if (!held.contains(metric))
      throw Error("--metrics " + metric + ": the runs have no such metric; they have: " + all);
}

/// A sentence on the cases without a value in any run; "" if there are none.
std::string unmeasured(const std::vector<std::vector<CaseRows>>& cases) {
  std::map<std::pair<std::string_view, std::string_view>, std::string> reasons;  // "" = measured
  for (const auto& column : cases)
    for (const CaseRows& found : column) {
      const auto [place, is_new] =
          reasons.try_emplace({found.suite, found.case_id}, status_text(found));
      if (found.measured()) place->second.clear();
    }
  std::erase_if(reasons, [](const auto& known) { return known.second.empty(); });
  if (reasons.empty()) return "";
  const auto& [first, reason] = *reasons.begin();
  return fmt::format(
      "{} no value in any run, and no row here: {} ({}){}.",
      reasons.size() == 1 ? "1 case has" : fmt::format("{} cases have", reasons.size()),
      first.second, reason,
      reasons.size() == 1 ? "" : fmt::format(" and {} more", reasons.size() - 1));
}

/// Variants must be of one device: on two devices, the difference is not one of the work.
void require_one_device(std::span<const Run> runs) {
  for (const Run& run : runs) {
    const std::string &first = runs.front().info.environment.device_class,
                      &own = run.info.environment.device_class;
    if (first != own || first.empty())
      throw Error(fmt::format(
          "variants are of one device: {} is of '{}', {} of '{}'; `plumbline devices` sets devices "
          "side by side",
          runs.front().path, first.empty() ? "unknown" : first, run.path,
          own.empty() ? "unknown" : own));
  }
}

void require_common_case(const DeviceTable& table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (std::ranges::none_of(table.rows,
                             [&](const DeviceRow& row) { return row.cells[i].ratio.has_value(); }))
      throw Error(fmt::format("'{}' and '{}' are no variants of the same work: {}",
                              table.columns[table.reference].name, table.columns[i].name,
                              table.rows.front().cells[i].reason));
}

}  // namespace

DeviceTable device_table(std::span<const Run> runs, const DeviceOptions& options) {
  if (runs.size() < 2)
    throw Error(fmt::format("found {} run; devices side by side are at least two", runs.size()));
  DeviceTable table;
  table.are_variants = !options.variants.empty();
  if (table.are_variants) require_one_device(runs);
  table.columns = columns_of(runs, options);
  table.currency = options.currency;
  if (!options.reference.empty())
    table.reference = column_named(table.columns, options.reference, "--reference");
  const Run& reference = runs[table.reference];
  for (DeviceColumn& column : table.columns)
    for (EnvironmentChange& change : environment_changes(reference.info, column.run->info))
      if (is_stack(change)) column.stack.push_back(std::move(change));
  std::vector<std::vector<CaseRows>> cases;
  for (const Run& run : runs) cases.push_back(rows_by_case(run));
  require_metrics(cases, options);
  const HeldCases held = held_cases(cases);
  const Sides sides = sides_of(cases, held, table.reference, options);
  for (const RowKey& key : sides.order) table.rows.push_back(row_of(key, sides.of.at(key), table));
  if (table.rows.empty()) throw Error("the runs hold no case with samples; expected at least one");
  summarise(table);
  if (table.are_variants) {
    require_common_case(table);
    table.stories = stories_of(table, held);
  }
  table.unmeasured = unmeasured(cases);
  return table;
}

}  // namespace plumbline
