/// Several runs side by side, one of which is the reference: device models, or variants of the
/// same work on one device.
///
/// Nothing is judged here: a ratio has an interval if both sides have at least two visits, and no
/// claim is made from it. Values that cannot be compared with the reference show the reason instead
/// of a ratio. Pure: reads no files, does not know the page.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/devices/variant_story.h"
#include "core/run/run.h"

namespace plumbline {

/// A device, given by a run, and what the user said about it.
struct DeviceColumn {
  const Run* run = nullptr;
  std::string name;                   // model, and what distinguishes it within the model
  std::optional<double> price_per_h;  // in the table's currency
  std::optional<double> power_w;
  std::vector<EnvironmentChange> stack;  // drivers, libraries, code unlike the reference's
  bool is_calibrated = false;
};

/// A case × metric on one device.
struct DeviceCell {
  std::optional<double> value, low, high;  // in the metric's unit; 99 % interval over visits
  std::size_t visits = 0;
  std::optional<double> ratio, ratio_low, ratio_high;  // how many times better than the reference
  std::optional<double> flops_per_s, bytes_per_s;
  std::optional<double> share;       // fraction of this device's calibrated limit
  std::optional<double> flops_peak;  // for the case's dtype; share uses it
  std::string flops_dtype;
  std::optional<double> price;             // for a million launches
  std::optional<double> energy;            // J of a launch at the given power
  std::optional<double> error, tolerance;  // largest relative L2 error over visits, and its limit
  std::string reason;                      // why there is no value, or no ratio
};

struct DeviceRow {
  std::string suite, case_id, op, backend, metric, unit;
  double flops = kUnknown, bytes = kUnknown;  // of one launch
  std::vector<DeviceCell> cells;              // one for each column
  bool is_summed_up = false;                  // may enter means: only times if there are any
  bool is_common = false;                     // enters the means
};

/// Summary of a column over the rows in which all compared columns have a ratio; only times if
/// there are any. Higher ratios are always better.
struct DeviceSummary {
  std::size_t cases = 0, refused = 0, absent = 0;  // with a ratio; with a value but no ratio;
                                                   // without a value
  bool is_compared = false;  // has enough cases in common with the others; else it has no mean
  std::optional<double> mean_ratio, mean_low, mean_high;  // geometric; 99 % over cards
  std::optional<double> least_ratio, median_ratio, greatest_ratio;
  std::size_t better = 0, worse = 0;  // cases whose interval excludes 1
  std::optional<double> work_ratio;   // work for the same money, relative to the reference
};

/// Spread between cards of one model, estimated from models with several measured cards.
struct CardSpread {
  std::vector<std::string> models;  // device classes
  std::size_t cards = 0;            // of all of them
  double deviation = 0;             // standard deviation of a card's logarithms, over all rows
  double half_width = 0;            // of a ratio's logarithm, between two cards at 99 %
};

struct DeviceTable {
  std::size_t reference = 0;  // index of its column
  bool are_variants = false;  // the columns are variants of the work on one device
  std::string currency;       // of the prices, "USD"; "" = unknown
  std::vector<DeviceColumn> columns;
  std::vector<DeviceRow> rows;  // by suite, op, then size: FLOPs, else bytes
  std::vector<DeviceSummary> summaries;
  std::size_t common = 0;           // rows that enter the means
  std::optional<CardSpread> cards;  // nothing: no model has two cards, or the columns are variants
  std::vector<CaseStory> stories;  // of variants: for each case with rows, in the order of the rows
  std::string unmeasured;          // cases without a value in any run, which have no row; "" = none
};

/// A name and its value: "H200=3.2".
struct NamedNumber {
  std::string name;
  double value = 0;
};

struct DeviceOptions {
  /// Names of variants of the same work on one device, one for each run; empty: compare devices.
  std::vector<std::string> variants{};
  std::string reference{};             // part of a column's name; "" = the first run
  std::vector<std::string> metrics{};  // empty = all judged metrics
  std::vector<NamedNumber> prices{};   // per hour, of a model: for all its columns
  std::string currency{};              // of all prices; "" = unknown
  std::vector<NamedNumber> powers{};   // W, of a model
};

/// `runs` must outlive the table. Throws Error for fewer than two runs, a name that fits no column
/// or several, an unknown metric, and if no case is left. Also throws for two variants of different
/// device classes or without a common case.
DeviceTable device_table(std::span<const Run> runs, const DeviceOptions& options);

/// "×1.52", "×0.083": three significant digits.
std::string ratio_text(double ratio);

/// "×1.523 [1.518, 1.528]": with as many decimals as the interval supports, the same in all three.
std::string ratio_text(double ratio, std::optional<double> low, std::optional<double> high);

/// "×0.25 to ×3.16"; ends close to each other get the same decimals.
std::string ratio_range_text(double least, double greatest);

}  // namespace plumbline
