/// Several runs side by side, one of which is the reference: device models, or variants of the
/// same work on one device.
///
/// Nothing is judged here: a ratio has an interval where both sides have two visits, and no claim
/// is drawn from it. What cannot be set beside the reference has no ratio but a reason. Pure:
/// reads no files, knows no page.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "core/run/run.h"

namespace plumbline {

/// A device, which is a run, and what is known of it from outside.
struct DeviceColumn {
  const Run* run = nullptr;
  std::string name;                   // model, with what tells it from another of its model
  std::optional<double> price_per_h;  // in the table's currency
  std::optional<double> power_w;
  std::vector<EnvironmentChange> stack;  // drivers, libraries, code that are not the reference's
  bool is_calibrated = false;
};

/// A case × metric on one device.
struct DeviceCell {
  std::optional<double> value, low, high;  // in the metric's unit; 99 % interval over visits
  std::size_t visits = 0;
  std::optional<double> ratio, ratio_low, ratio_high;  // how many times as good as the reference
  std::optional<double> flops_per_s, bytes_per_s;
  std::optional<double> share;       // of what this device was calibrated to reach
  std::optional<double> flops_peak;  // of the case's dtype, as share has it
  std::string flops_dtype;
  std::optional<double> price;             // of a million launches
  std::optional<double> energy;            // J of a launch at the power that was given
  std::optional<double> error, tolerance;  // largest relative L2 error over visits, and its limit
  std::string reason;                      // why there is no value, or no ratio
};

struct DeviceRow {
  std::string suite, case_id, op, backend, metric, unit;
  double flops = kUnknown, bytes = kUnknown;  // of one launch
  std::vector<DeviceCell> cells;              // one for each column
  bool is_summed_up = false;                  // may enter means: a time, where there are times
  bool is_common = false;                     // of the rows that means are over
};

/// A column over the rows that all compared columns have a ratio in; where there are times, over
/// these alone. Of every ratio more is better.
struct DeviceSummary {
  std::size_t cases = 0, refused = 0, absent = 0;  // with a ratio; with a value alone; without
  bool is_compared = false;  // has enough cases in common with the others: else no mean
  std::optional<double> mean_ratio, mean_low, mean_high;  // geometric; 99 % over cards
  std::optional<double> least_ratio, median_ratio, greatest_ratio;
  std::size_t better = 0, worse = 0;  // cases whose interval leaves out 1
  std::optional<double> work_ratio;   // how many times the reference's work for the same money
};

/// What cards of one model differ by, learned from models of which several were measured.
struct CardSpread {
  std::vector<std::string> models;  // device classes
  std::size_t cards = 0;            // of all of them
  double deviation = 0;             // standard deviation of a card's logarithms, over all rows
  double half_width = 0;            // of a ratio's logarithm, between two cards at 99 %
};

struct DeviceTable {
  std::size_t reference = 0;  // index of its column
  bool are_variants = false;  // of the work on one device, not devices
  std::string currency;       // of the prices, "USD"; "" = not said
  std::vector<DeviceColumn> columns;
  std::vector<DeviceRow> rows;  // by suite, op, then size: FLOPs, else bytes
  std::vector<DeviceSummary> summaries;
  std::size_t common = 0;           // rows that means are over
  std::optional<CardSpread> cards;  // none: no model has two cards, or these are variants
  std::string unmeasured;  // which cases have no value in any run, and so no row; "" = none
};

/// What a name stands for: "H200=3.2".
struct NamedNumber {
  std::string name;
  double value = 0;
};

struct DeviceOptions {
  /// Variants of the same work on one device, one for each run by these names; none: devices.
  std::vector<std::string> variants{};
  std::string reference{};             // part of a column's name; "" = the first run
  std::vector<std::string> metrics{};  // none = all that are judged
  std::vector<NamedNumber> prices{};   // per hour, of a model: of all its columns
  std::string currency{};              // of all prices; "" = not said
  std::vector<NamedNumber> powers{};   // W, of a model
};

/// `runs` outlive the table. Throws Error for fewer than two runs, a name that fits no column or
/// several, a metric that no run has, where no case is left, and for variants of which two were
/// measured on different device classes or have no case in common.
DeviceTable device_table(std::span<const Run> runs, const DeviceOptions& options);

/// "×1.52", "×0.083": three significant digits.
std::string ratio_text(double ratio);

/// "×1.523 [1.518, 1.528]": with as many decimals as the interval supports, the same in all three.
std::string ratio_text(double ratio, std::optional<double> low, std::optional<double> high);

/// "×0.25 to ×3.16"; ends that are near each other have the same decimals.
std::string ratio_range_text(double least, double greatest);

}  // namespace plumbline
