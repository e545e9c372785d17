/// Whether a screen's noise model fits the run: what the cases' changes scatter by, over what the
/// model says that they scatter by where nothing changed.
///
/// λ = median(z²) / 0.4549, the "genomic inflation factor" (Devlin & Roeder 1999), z being the
/// normal deviate of each case's p value. A minority that changed does not move a median. Where the
/// model does not fit a run, it is widened or narrowed first (noise_fit.h), and λ says what is
/// left. Knows findings and their p values, neither runs nor samples.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "analysis/variance/noise_fit.h"

namespace plumbline {

struct Finding;

struct NullCheck {
  std::string metric;  // that it is of; "" in comparisons of before it was recorded
  double lambda = 1;   // 1: as the model says; 4: standard deviations twice as large
  double low = 0,
         high = 0;  // its interval at 98 %, of order statistics; takes cases as independent
  std::size_t cases = 0;
  NoiseFit fit = {};  // of the noise model before λ was taken

  bool operator==(const NullCheck&) const = default;
};

/// Of the times that numbers decided: of the metric whose λ is largest. Metrics of fewer than
/// twelve cases are passed over; nothing where there is no other.
std::optional<NullCheck> null_check(std::span<const Finding> findings, const NoiseFits& fits);

/// Whether changes scatter as the noise model says, or less.
bool fits(const NullCheck& check);

/// "Null check: λ = 1.9 [1.7, 2.2] over 412 cases: the run scatters 1.4 times as much as …."
std::string null_check_text(const NullCheck& check);

}  // namespace plumbline
