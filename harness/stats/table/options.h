/// What can be asked of a statistic besides its numbers: one row an option, from which flags, help
/// and errors come.
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
  /// Takes the value from its text. Throws Error saying what is allowed.
  void (*set)(StatOptions& options, const std::string& text);
  Value (*get)(const StatOptions& options);
};

/// All of them, in the order in which help shows them.
std::span<const StatOption> stat_options();

/// As options and results write them.
std::string_view name_of(Method method);

}  // namespace plumbline
