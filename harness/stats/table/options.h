/// Options of statistics, besides their numbers: one row per option. Flags, help and errors are
/// made from the rows.
///
/// Knows no statistic.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/value.h"
#include "stats/hypothesis.h"
#include "stats/trend.h"

namespace plumbline {

struct StatOptions {
  double confidence = 0.95;
  Alternative alternative = Alternative::two_sided;
  Method method = Method::automatic;
  double probability = 0.5;
  Autocorrelation autocorrelation = Autocorrelation::none;
};

struct StatOption {
  std::string_view name;
  std::string_view placeholder;  // of its value, in help
  std::string_view doc;
  /// Parses the value from text. Throws Error naming the allowed values.
  void (*set)(StatOptions& options, const std::string& text);
  Value (*get)(const StatOptions& options);
};

/// All options, in the order of the help.
std::span<const StatOption> stat_options();

/// The name in options and results.
std::string_view name_of(Method method);

}  // namespace plumbline
