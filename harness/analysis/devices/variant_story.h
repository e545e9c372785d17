/// What variants of a case tell besides the table: slow launches, accuracy, and the parts of a
/// step.
///
/// Knows neither the page nor files. device_table.h holds the result.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "stats/student_t.h"

namespace plumbline {

inline constexpr double kLossLevel = 0.05;         // of the one-sided test for a loss of accuracy
inline constexpr double kLossPower = 0.8;          // with which the smallest visible loss is found
inline constexpr double kLossConfidence = 0.95;    // of the interval of a difference
inline constexpr std::size_t kSamplesOfP99 = 100;  // fewer say nothing about the slowest launches

/// Held-out accuracy as a share, over the seeds of its training: the rounds of the run. Differences
/// to the reference are between runs with the same seed.
struct VariantAccuracy {
  std::size_t seeds = 0;
  std::optional<double> mean, spread;  // the standard deviation; from two seeds on
  std::size_t pairs = 0;               // seeds that the reference has too
  std::optional<Interval> difference;  // from two pairs on; not of the reference
  std::optional<double> visible;       // loss that these pairs find 8 times in 10; nothing if all
                                       // differences are equal
  bool is_loss = false;                // beyond what the seeds differ by
  std::string reason;                  // why there is no accuracy; "" if none was asked for
};

/// A part of a step and its seconds.
using StepShare = std::pair<std::string, double>;

struct VariantStory {
  bool has_case = false;        // the variant has the case, measured or not
  std::optional<double> p99_s;  // of the samples of `time`; launches one by one, and enough
  VariantAccuracy accuracy;
  std::vector<StepShare> phases;  // in their order; empty: the step has none
};

/// A case; `variants` has one element for each column of the table.
struct CaseStory {
  std::string suite, case_id;
  std::string time;  // the metric that tells how fast it is; "" = none has one
  std::vector<VariantStory> variants;
  bool has_accuracy() const;
  bool has_phases() const;
};

/// `variants`: the rows of one case in each column, nullptr where a column has none; `reference` is
/// one of them.
CaseStory story_of(std::span<const CaseRows* const> variants, std::size_t reference);

}  // namespace plumbline
