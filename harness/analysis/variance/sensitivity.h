/// Cases that cannot see a change of the margin, and what would cure them.
///
/// A case is blind where a change as large as the margin would stand out of its interval less than
/// 80 % of the time. That depends on its noise alone, not on what the change turned out to be, so
/// it is a property beside the verdict. Knows variances of a change, neither runs nor findings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace plumbline {

/// Φ⁻¹(0.8): a change this many standard errors above the bar passes it 80 % of the time.
inline constexpr double kPower80 = 0.8416212335729143;
/// Φ⁻¹(0.9): nine times in ten.
inline constexpr double kPower90 = 1.2815515655446004;

struct BlindSpot {
  double detectable = 0;  // smallest change, a fraction, that would stand out 80 % of the time
  double margin = 0;      // that it was held against, a fraction: of the screen, or of the pairs
  /// What one run's estimate varies by, standard deviations as fractions: its blocks, what its
  /// visits (processes) differ by beyond that, and what whole runs differ by beyond that. 0 of a
  /// case that pairs decided.
  double block_sd = 0, visit_sd = 0, run_sd = 0;
  /// Each by itself brings `detectable` to the margin; none: no number does.
  std::optional<std::size_t> rounds = {}, blocks = {}, pairs = {};
  std::string cure = {};  // the same in words
};

/// What the variance of a change of two runs' estimates (logarithms) is made of.
struct ErrorParts {
  double block = 0, visit = 0, run = 0;  // their sum is the variance of the change
  double visit_df = 0, run_df = 0;       // of block + visit, and of run
  double rounds = 0;                     // of a run
  double blocks = 0;                     // of a visit
};

/// `detectable`: log, of the case as it was measured; `margin`: a fraction; `confidence`: of its
/// interval. Nothing where the case is not blind.
std::optional<BlindSpot> blind_spot(const ErrorParts& parts, double detectable, double margin,
                                    double confidence);

/// Of a case that `pairs` pairs left with `detectable` (log).
std::optional<BlindSpot> blind_spot_of_pairs(std::size_t pairs, double detectable, double margin);

}  // namespace plumbline
