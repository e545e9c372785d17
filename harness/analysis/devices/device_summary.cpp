#include "analysis/devices/device_summary.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "stats/descriptive.h"
#include "stats/quadrature.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr double kConfidence = 0.99;

bool is_time(const DeviceRow& row) { return row.unit == "s"; }

void count_cells(const DeviceTable& table, std::size_t column, DeviceSummary& summary) {
  for (const DeviceRow& row : table.rows) {
    if (!row.is_summed_up) continue;
    const DeviceCell& cell = row.cells[column];
    ++(cell.ratio ? summary.cases : cell.value ? summary.refused : summary.absent);
  }
}

/// Columns by number of ratios, most first; the reference comes before all others.
std::vector<std::size_t> by_cases(const DeviceTable& table) {
  std::vector<std::size_t> order(table.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (a == table.reference || b == table.reference) return a == table.reference && a != b;
    return table.summaries[a].cases > table.summaries[b].cases;
  });
  return order;
}

void mark_common(DeviceTable& table) {
  std::vector<DeviceRow*> common;
  for (DeviceRow& row : table.rows)
    if (row.is_summed_up) common.push_back(&row);
  const std::vector<std::size_t> order = by_cases(table);
  const std::size_t most = table.summaries[order[1]].cases;
  for (const std::size_t column : order) {
    std::vector<DeviceRow*> left;
    std::ranges::copy_if(common, std::back_inserter(left), [&](const DeviceRow* row) {
      return row->cells[column].ratio.has_value();
    });
    if (left.empty() || 2 * left.size() < most) continue;
    table.summaries[column].is_compared = true;
    common = std::move(left);
  }
  if (most == 0) return;
  for (DeviceRow* row : common) row->is_common = true;
  table.common = common.size();
}

void fill_summary(const DeviceTable& table, std::size_t column, DeviceSummary& summary) {
  std::vector<double> logs;
  for (const DeviceRow& row : table.rows) {
    if (!row.is_common || !summary.is_compared) continue;
    const DeviceCell& cell = row.cells[column];
    logs.push_back(std::log(*cell.ratio));
    summary.better += cell.ratio_low > 1.0 ? 1 : 0;
    summary.worse += cell.ratio_high && *cell.ratio_high < 1 ? 1 : 0;
  }
  if (logs.empty()) return;
  const double middle = mean(logs);
  summary.mean_ratio = std::exp(middle);
  summary.median_ratio = std::exp(median(logs));
  summary.least_ratio = std::exp(std::ranges::min(logs));
  summary.greatest_ratio = std::exp(std::ranges::max(logs));
  if (table.cards && column != table.reference) {
    summary.mean_low = std::exp(middle - table.cards->half_width);
    summary.mean_high = std::exp(middle + table.cards->half_width);
  }
  const auto &price = table.columns[column].price_per_h,
             &reference = table.columns[table.reference].price_per_h;
  if (price && reference) summary.work_ratio = *summary.mean_ratio * *reference / *price;
}

/// Cards of one model with the same drivers, libraries and code: they differ only by the card.
std::vector<std::vector<std::size_t>> models_of(const DeviceTable& table) {
  std::map<std::vector<std::string>, std::vector<std::size_t>> models;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Environment& own = table.columns[i].run->info.environment;
    if (own.device_class.empty() || own.device_uuids.empty()) continue;
    auto& cards = models[{own.device_class, own.driver, own.libtorch, own.cudnn, own.commit}];
    const bool is_known = std::ranges::any_of(cards, [&](std::size_t card) {
      return table.columns[card].run->info.environment.device_uuids == own.device_uuids;
    });
    if (!is_known) cards.push_back(i);
  }
  std::vector<std::vector<std::size_t>> several;
  for (const auto& [model, cards] : models)
    if (cards.size() > 1) several.push_back(cards);
  return several;
}

/// A row's values on the cards of a model, as logarithms; empty if a card has no value.
std::vector<double> logs_of(const DeviceRow& row, const std::vector<std::size_t>& cards) {
  std::vector<double> logs;
  for (const std::size_t card : cards) {
    const DeviceCell& cell = row.cells[card];
    if (!cell.value || !(*cell.value > 0)) return {};
    logs.push_back(std::log(*cell.value));
  }
  return logs;
}

void widen(DeviceCell& cell, double by) {
  if (!cell.ratio_low) return;
  const double half = in_quadrature(std::log(*cell.ratio_high / *cell.ratio_low) / 2, by);
  cell.ratio_low = *cell.ratio * std::exp(-half);
  cell.ratio_high = *cell.ratio * std::exp(half);
}

void add_card_spread(DeviceTable& table) {
  if (table.are_variants) return;
  CardSpread spread;
  double squares = 0, freedom = 0;
  for (const std::vector<std::size_t>& cards : models_of(table)) {
    spread.models.push_back(table.columns[cards.front()].run->info.environment.device_class);
    spread.cards += cards.size();
    for (const DeviceRow& row : table.rows) {
      const std::vector<double> logs = logs_of(row, cards);
      if (logs.empty() || !row.is_summed_up) continue;
      squares += variance(logs) * static_cast<double>(logs.size() - 1);
      freedom += static_cast<double>(logs.size() - 1);
    }
  }
  if (freedom == 0) return;
  spread.deviation = std::sqrt(squares / freedom);
  spread.half_width =
      student_t_quantile(0.5 + kConfidence / 2, freedom) * spread.deviation * std::sqrt(2);
  table.cards = std::move(spread);
  for (DeviceRow& row : table.rows)
    for (DeviceCell& cell : row.cells)
      if (row.is_summed_up) widen(cell, table.cards->half_width);
}

/// If there are times, marks only them: a mean over times and bytes is meaningless.
void mark_summed_up(DeviceTable& table) {
  const bool has_times = std::ranges::any_of(table.rows, is_time);
  for (DeviceRow& row : table.rows) row.is_summed_up = !has_times || is_time(row);
}

}  // namespace

void summarise(DeviceTable& table) {
  mark_summed_up(table);
  add_card_spread(table);
  table.summaries.assign(table.columns.size(), {});
  for (std::size_t i = 0; i < table.columns.size(); ++i) count_cells(table, i, table.summaries[i]);
  mark_common(table);
  for (std::size_t i = 0; i < table.columns.size(); ++i) fill_summary(table, i, table.summaries[i]);
}

}  // namespace plumbline
