/// Whether a run alone scatters so much that no comparison with it can show a change that counts.
///
/// The answer uses only the visits of this run. The difference between whole runs comes on top, and
/// a single run cannot show it. A case can show what counts if one of its times can. Knows one run,
/// but no verdicts or rules.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

struct RunNoise {
  std::size_t cases = 0;      // with at least two visits of a time
  std::size_t blind = 0;      // cases that see a change that counts less than 80 % of the time
  std::size_t disturbed = 0;  // of the blind ones: another process was on the GPU
  // Medians over the blind cases, fractions: the difference between visits, the smallest change
  // that would show, and the change that counts.
  double visit_sd = 0, detectable = 0, threshold = 0;
  std::size_t rounds = 0;                  // of the run: median over its times
  std::optional<std::size_t> enough = {};  // rounds with which less than a third is blind

  /// True if a third of the cases or more is blind.
  bool is_poor() const { return 3 * blind >= cases && blind > 0; }
};

/// Collects the scatter of a run part by part.
class RunScatter {
 public:
  /// `effect_floor`: as run_noise() takes it.
  explicit RunScatter(double effect_floor) : effect_floor_(effect_floor) {}
  /// `run`: with all rows of its cases. Throws Error for a sample that is not finite.
  void add(const Run& run);
  /// What the cases so far show.
  RunNoise noise(double confidence) const;

  /// A time of a case with enough visits.
  struct Timed {
    std::size_t of_case = 0;  // index
    std::string metric, op;
    double threshold = 0, variance = 0, block_floor = 0, rounds = 0, blocks = 0;
  };

 private:
  double effect_floor_;
  std::vector<Timed> times_;
  std::vector<bool> disturbed_;  // by case: another process was on the GPU
};

/// `effect_floor`: the change that counts, a fraction, unless the run's suites set it for a case.
/// `confidence`: of the interval that a change has to exceed. Throws Error for a sample that is not
/// finite.
RunNoise run_noise(const Run& run, double effect_floor, double confidence);

/// "In 4 of 5 cases the rounds differ so much (…) that no comparison with this run could show …",
/// and what can be done; "" unless it is poor.
std::string run_noise_text(const RunNoise& noise);

}  // namespace plumbline
