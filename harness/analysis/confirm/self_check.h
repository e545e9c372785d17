/// What a comparison measured of itself: how often it raises false alarms, and how small a slowdown
/// it finds.
///
/// Controls are cases that cannot have changed: the baseline's build against itself, or visits of
/// the same runs split at random. Planted slowdowns are the run's own results with slower numbers,
/// so that they contain its own noise. Holds counts and the words for them; controls.h makes the
/// counts. No claim goes beyond what the counts allow (Clopper & Pearson 1934).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stats/proportion.h"

namespace plumbline {

/// Confidence of each reported bound.
inline constexpr double kSelfCheckConfidence = 0.95;

/// Slowdowns that are planted, as fractions.
inline constexpr double kPlantedSizes[]{0.01, 0.02, 0.03, 0.05};

/// How many of `cases` cases were called changed, or slower.
struct Detection {
  double size = 0;  // of the slowdown, a fraction; 0: of controls
  std::size_t seen = 0, cases = 0;

  ProportionBounds bounds() const { return proportion_bounds(seen, cases, kSelfCheckConfidence); }
};

struct SelfCheck {
  std::string controls;  // how they were made and by which rule judged; "" = no controls
  Detection alarms;      // controls called SLOWER or FASTER
  // Planted slowdowns, by size:
  std::vector<Detection> called;      // SLOWER by the screen alone, 5 % of the cases slowed down
  std::vector<Detection> in_doubt;    // cases that the screen would have measured again
  std::vector<Detection> confirmed;   // SLOWER by pairs
  std::vector<Detection> alone = {};  // as `called`, one case at a time: harder to find
  // Earlier runs, each judged against those before it: cases called changed, including real
  // changes. `nights`: number of runs.
  Detection of_nights = {};
  std::size_t nights = 0;
};

/// The self-check of one comparison, and its sum with those of earlier ones.
struct SelfMeasurement {
  SelfCheck own, pooled;
  std::size_t comparisons = 1;  // comparisons in `pooled`
};

/// Adds counts, size by size.
void add_rates(std::vector<Detection>& sum, std::span<const Detection> rates);

/// Adds up `own` and those of `earlier` whose controls were made and judged in the same way.
SelfMeasurement pooled(SelfCheck own, std::span<const SelfCheck> earlier);

/// The smallest planted slowdown that is found at least 80 % of the time, by the lower bounds. If
/// pairs decide, a slowdown must be put in doubt (if there was a screen) and then confirmed. 0 if
/// the counts do not show one.
double smallest_visible(const SelfCheck& check);

/// "This run checked itself: 0 of 12 controls raised an alarm (rate below 22 %, …) …" in one line,
/// or "" without counts.
std::string self_check_text(const SelfMeasurement& measured);

}  // namespace plumbline
