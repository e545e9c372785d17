/// Whether a screen's noise model fits the run: the scatter of the cases' changes, divided by the
/// scatter that the model predicts where nothing changed.
///
/// λ = median(z²) / 0.4549, the "genomic inflation factor" (Devlin & Roeder 1999), where z is the
/// normal deviate of each case's p value. A minority of changed cases does not move the median. If
/// the model does not fit a run, it is first widened or narrowed (noise_fit.h); λ shows what
/// remains. Knows findings and their p values, but not runs or samples.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "analysis/variance/noise_fit.h"

namespace plumbline {

struct Finding;

struct NullCheck {
  std::string metric;  // its metric; "" in older comparisons
  double lambda = 1;   // 1: the model fits; 4: standard deviations are twice as large
  double low = 0,
         high = 0;  // its interval at 98 %, of order statistics; takes cases as independent
  std::size_t cases = 0;
  NoiseFit fit = {};  // of the noise model before λ was taken

  bool operator==(const NullCheck&) const = default;
};

/// λ needs so many cases: the interval of a median of fewer has no confidence of 98 %.
inline constexpr std::size_t kNullCheckCases = 7;

/// Checks the judged times, and returns the metric with the largest λ. Metrics with fewer than
/// kNullCheckCases are skipped; nothing if no metric is left.
std::optional<NullCheck> null_check(std::span<const Finding> findings, const NoiseFits& fits);

/// True if changes scatter as much as the noise model says, or less.
bool fits(const NullCheck& check);

/// "Null check: λ = 1.9 [1.7, 2.2] over 412 cases: the run scatters 1.4 times as much as …."
std::string null_check_text(const NullCheck& check);

}  // namespace plumbline
