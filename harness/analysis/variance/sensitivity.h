/// Cases that cannot see a change of the margin, and what would help.
///
/// A case is blind if a change as large as the margin would stand out of its interval less than 80
/// % of the time. This depends on its noise alone, not on the change that was found, so it is
/// independent of the verdict. Knows variances of a change, but not runs or findings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace plumbline {

/// Φ⁻¹(0.8): a change this many standard errors above the bar passes it 80 % of the time.
inline constexpr double kPower80 = 0.8416212335729143;
/// Φ⁻¹(0.9): the same for 90 %.
inline constexpr double kPower90 = 1.2815515655446004;

struct BlindSpot {
  double detectable = 0;  // smallest change, a fraction, that would stand out 80 % of the time
  double margin = 0;      // the margin that was tested, a fraction: of the screen, or of the pairs
  /// Noise of one run's estimate, standard deviations as fractions: from its blocks, from visits
  /// (processes) beyond that, and from whole runs beyond that. 0 for a case that pairs decided.
  double block_sd = 0, visit_sd = 0, run_sd = 0;
  /// Each number alone brings `detectable` to the margin; nothing: no number does.
  std::optional<std::size_t> rounds = {}, blocks = {}, pairs = {};
  std::string cure = {};  // the same in words
};

/// The parts of the variance of a change between two runs' estimates (logarithms).
struct ErrorParts {
  double block = 0, visit = 0, run = 0;  // their sum is the variance of the change
  double visit_df = 0, run_df = 0;       // of block + visit, and of run
  double rounds = 0;                     // of one run
  double blocks = 0;                     // of one visit
};

/// `detectable`: log, of the case as measured; `margin`: a fraction; `confidence`: of its interval.
/// Nothing if the case is not blind.
std::optional<BlindSpot> blind_spot(const ErrorParts& parts, double detectable, double margin,
                                    double confidence);

/// For a case that `pairs` pairs left with `detectable` (log).
std::optional<BlindSpot> blind_spot_of_pairs(std::size_t pairs, double detectable, double margin);

}  // namespace plumbline
