/// What a comparison measured of itself: how often it raises false alarms, and how small a slowdown
/// it finds.
///
/// Controls are cases that cannot have changed: the baseline's build beside itself, or visits of
/// the same runs split at random. Planted slowdowns are the run's own results made slower in the
/// numbers, so that they carry its own noise. Counts and the words for them; how they are come by
/// is in controls.h. No claim goes beyond what the counts allow (Clopper & Pearson 1934).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stats/proportion.h"

namespace plumbline {

/// Confidence of each bound that is told.
inline constexpr double kSelfCheckConfidence = 0.95;

/// Slowdowns that are planted, as fractions.
inline constexpr double kPlantedSizes[]{0.01, 0.02, 0.03, 0.05};

/// So many of `cases` cases were called changed, or slower.
struct Detection {
  double size = 0;  // of the slowdown, a fraction; 0: of controls
  std::size_t seen = 0, cases = 0;

  ProportionBounds bounds() const { return proportion_bounds(seen, cases, kSelfCheckConfidence); }
};

struct SelfCheck {
  std::string controls;  // how they were made; by which rule. "" = there are none
  Detection alarms;      // of the controls: SLOWER or FASTER
  // Planted slowdowns, by size:
  std::vector<Detection> called;      // SLOWER by the screen alone, among a twentieth of the cases
  std::vector<Detection> in_doubt;    // the screen would have them measured again
  std::vector<Detection> confirmed;   // SLOWER by pairs
  std::vector<Detection> alone = {};  // as `called`, one case at a time: harder among many
  // Earlier runs, each judged against those before it: cases called changed, real changes among
  // them. `nights`: how many runs.
  Detection of_nights = {};
  std::size_t nights = 0;
};

/// Of one comparison, and of it and earlier ones together.
struct SelfMeasurement {
  SelfCheck own, pooled;
  std::size_t comparisons = 1;  // that `pooled` holds
};

/// Adds counts, size by size.
void add_rates(std::vector<Detection>& sum, std::span<const Detection> rates);

/// `own` together with those of `earlier` whose controls were made and judged in the same way.
SelfMeasurement pooled(SelfCheck own, std::span<const SelfCheck> earlier);

/// The smallest planted slowdown that is found at least 80 % of the time, by the lower bounds:
/// where pairs decide, in doubt first (if there was a screen), then confirmed. 0 where the counts
/// do not allow to name one.
double smallest_visible(const SelfCheck& check);

/// "This run checked itself: 0 of 12 controls raised an alarm (rate below 22 %, …) …" in one line,
/// or "" where there is nothing to tell.
std::string self_check_text(const SelfMeasurement& measured);

}  // namespace plumbline
