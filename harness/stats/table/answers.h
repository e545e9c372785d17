/// The functions behind the table's rows. Each passes its lists and options to a function of stats/
/// and stores the results under names that all rows share.
///
/// Knows lists of numbers, no files and no cases. Each throws Error for too few or invalid numbers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stats/table/options.h"

namespace plumbline {

struct StatInput {
  std::span<const double> a, b;  // b is empty if there is no second list
  StatOptions options;
};

struct Ends {
  double lower = 0, upper = 0;
};

struct NamedList {
  std::string_view name;
  std::vector<double> values;
};

/// The result of a row; numbers that it does not compute are absent.
struct StatResult {
  std::optional<double> statistic, p_value, estimate;
  std::optional<Ends> interval;
  std::optional<double> coverage;  // of the interval, where it is exact
  std::optional<Method> method;
  std::vector<std::pair<std::string_view, double>> details;
  std::optional<NamedList> per_value;  // one number for each value of a, in the same order
  std::vector<std::string> notes;      // what the reader must know about this answer
};

StatResult answer_hodges_lehmann(const StatInput& input);
StatResult answer_median_interval(const StatInput& input);
StatResult answer_quantile(const StatInput& input);
StatResult answer_mad(const StatInput& input);
StatResult answer_theil_sen(const StatInput& input);
StatResult answer_mann_kendall(const StatInput& input);
StatResult answer_bh(const StatInput& input);
StatResult answer_simes(const StatInput& input);
StatResult answer_moderation(const StatInput& input);

}  // namespace plumbline
