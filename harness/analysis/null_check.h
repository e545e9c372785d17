/// Whether a screen's noise model fits the run: what the cases' changes scatter by, over what the
/// model says that they scatter by where nothing changed.
///
/// λ = median(z²) / 0.4549, the "genomic inflation factor" (Devlin & Roeder 1999), z being the
/// normal deviate of each case's p value. A minority that changed does not move a median. Knows
/// findings and their p values, neither runs nor samples; changes no verdict.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace plumbline {

struct Finding;

struct NullCheck {
  double lambda = 1;  // 1: as the model says; 4: standard deviations twice as large
  double low = 0,
         high = 0;  // its interval at 98 %, of order statistics; takes cases as independent
  std::size_t cases = 0;

  bool operator==(const NullCheck&) const = default;
};

/// Of the times that numbers decided, the first metric of each case; findings of a case stand side
/// by side. Nothing of fewer than twelve cases.
std::optional<NullCheck> null_check(std::span<const Finding> findings);

/// "Null check: λ = 1.9 [1.7, 2.2] over 412 cases: the run scatters 1.4 times as much as …."
std::string null_check_text(const NullCheck& check);

}  // namespace plumbline
