/// The table of statistics: one row each, with its inputs and its function. `plumbline stats`, its
/// help and its errors are made from it.
///
/// Knows lists of numbers, no files and no cases.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stats/table/answers.h"

namespace plumbline {

/// Which numbers a list may hold.
enum class Domain { any, probabilities, not_negative, positive };

/// What a row says about one of its lists.
struct ListNeed {
  enum class Use { none, optional, required };
  Use use = Use::none;
  std::string_view what;  // what the list holds
  std::size_t at_least = 1;
  Domain domain = Domain::any;
  bool is_as_long_as_a = false;
};

struct Statistic {
  std::string_view name, summary;
  ListNeed a, b;
  std::string_view statistic, estimate;  // what these two numbers mean; "" if there is none
  std::span<const std::string_view> options;
  StatResult (*answer)(const StatInput& input);
};

/// All rows, in the order in which they are listed.
std::span<const Statistic> statistics();

/// Throws Error that names the nearest row, or all rows.
const Statistic& find_statistic(std::string_view name);

/// The row's result. Throws Error if one of its numbers is not finite, because sums or squares of
/// the input do not fit into a double.
StatResult result_of(const Statistic& row, const StatInput& input);

/// Options from flag texts, by name. Throws Error for an option that the row does not take.
StatOptions options_for(const Statistic& statistic,
                        const std::vector<std::pair<std::string, std::string>>& given);

}  // namespace plumbline
