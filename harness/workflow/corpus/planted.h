/// The planted slowdowns of a corpus: which case is slower from which night on, and by how much.
///
/// Only chooses and writes them. Whoever reads the corpus multiplies the samples, so that the
/// recorded ones stay as they were measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

/// Nights of a device class that come before the first planted one: a rule that learns from a
/// history needs one.
inline constexpr std::size_t kNightsBeforePlanted = 3;

/// What a slowdown can be planted into.
struct PlantableNight {
  std::string device_class;
  std::set<std::string> cases;  // those with samples
};

/// A trial is a history of its own: the recorded nights with this one change.
struct PlantedSlowdown {
  std::size_t trial = 0;  // from 1
  std::size_t night = 0;  // from 1: this one and all later ones, of whichever device
  std::string case_id;
  double factor = 1;  // of all times of the case
  bool operator==(const PlantedSlowdown&) const = default;
};

/// `count` trials with one slowdown each. Factors take turns: 1.01, 1.02, 1.03, 1.05, 1.10. Night
/// and case are drawn from the seed, among cases with samples in all nights of the class. The same
/// arguments give the same on every machine. Throws Error if no class has more than
/// kNightsBeforePlanted nights or a case that all its nights measured.
std::vector<PlantedSlowdown> planted_slowdowns(std::span<const PlantableNight> nights,
                                               std::size_t count, std::uint64_t seed);

/// planted.csv: trial, night, case, factor.
std::string planted_csv(std::span<const PlantedSlowdown> planted);

}  // namespace plumbline
