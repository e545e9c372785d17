/// Whether a screen's noise model fits the run: what the cases' changes scatter by, over what the
/// model says that they scatter by where nothing changed.
///
/// λ = median(z²) / 0.4549, the "genomic inflation factor" (Devlin & Roeder 1999), z being the
/// normal deviate of each case's p value. A minority that changed does not move a median. Where the
/// model is too narrow for a run, its errors are widened first, and λ says what is left. Knows
/// findings, their p values and deviates, neither runs nor samples.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace plumbline {

struct Finding;

struct NullCheck {
  std::string metric;  // that it is of; "" in comparisons of before it was recorded
  double lambda = 1;   // 1: as the model says; 4: standard deviations twice as large
  double low = 0,
         high = 0;  // its interval at 98 %, of order statistics; takes cases as independent
  std::size_t cases = 0;
  double widened = 1;  // factor of the errors before λ was taken (excess_scatter())

  bool operator==(const NullCheck&) const = default;
};

/// Factors of the errors by metric (excess_scatter()); a metric that is not in it has 1.
using Widening = std::map<std::string, double>;

/// Of the times that numbers decided: of the metric whose λ is largest. Metrics of fewer than
/// twelve cases are passed over; nothing where there is no other.
std::optional<NullCheck> null_check(std::span<const Finding> findings, const Widening& widening);

/// |z| of a two-sided p value in [0, 1].
double deviate_of(double p);

/// How many times too small the errors are that gave these deviates, with their signs, one of each
/// case; 1 where they may fit, and of few cases. Looked at on either side of zero by the third of
/// the deviates nearest to it, and the smaller is taken: cases that got slower are on one side, and
/// neither they nor those that got faster lie next to zero.
double excess_scatter(std::span<const double> deviates);

/// "Null check: λ = 1.9 [1.7, 2.2] over 412 cases: the run scatters 1.4 times as much as …."
std::string null_check_text(const NullCheck& check);

}  // namespace plumbline
