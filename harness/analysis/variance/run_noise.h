/// Whether a run scatters so much by itself that no comparison with it can show what counts.
///
/// What two runs like this one would show is asked of the visits alone: what whole runs differ by
/// comes on top, and no single run can tell it. A case can show what counts where one of its times
/// can. Knows one run, neither verdicts nor rules.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/run/run.h"

namespace plumbline {

struct RunNoise {
  std::size_t cases = 0;      // with two visits or more of a time
  std::size_t blind = 0;      // that would miss what counts more than one time in five
  std::size_t disturbed = 0;  // of those: another process was on the GPU
  // Medians over the blind cases, fractions: what visits differ by, the smallest change that would
  // show, and what counts.
  double visit_sd = 0, detectable = 0, threshold = 0;
  std::size_t rounds = 0;                  // of the run, as most cases have them
  std::optional<std::size_t> enough = {};  // rounds with which less than a third would be blind

  /// A third of the cases or more.
  bool is_poor() const { return 3 * blind >= cases && blind > 0; }
};

/// `effect_floor`: what counts where the run's suites do not say it of a case, a fraction;
/// `confidence`: of the interval that a change has to stand out of. Throws Error for a sample that
/// is not finite.
RunNoise run_noise(const Run& run, double effect_floor, double confidence);

/// "In 4 of 5 cases the rounds differ so much (…) that no comparison with this run could show …",
/// and what can be done; "" unless it is poor.
std::string run_noise_text(const RunNoise& noise);

}  // namespace plumbline
