/// What a seed plants: cases, devices, shards, what measuring each case gives, and its true change.
///
/// Measuring is a pure function here. So every recorded number can be checked for the case, side,
/// round and visit that it belongs to.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "core/run/run.h"
#include "protocol/messages.h"
#include "simulation/dice.h"

namespace plumbline::simulation {

/// The ends of a comparison: 0 the baseline, 1 the candidate.
using SideNumber = std::size_t;

/// What happens to a case when it is measured.
enum class Fate {
  fine,
  excluded,     // by its suite
  impossible,   // unsupported with every worker
  refused,      // UNSUPPORTED, as the worker answers
  unverified,   // with samples
  absent,       // one metric could not be measured
  stains,       // leaves settings of the process changed
  wrong,        // from here on: no samples
  crashed,      // the worker dies
  hung,         // no answer within timeout_s
  too_large,    // OUT_OF_MEMORY
  contradicts,  // the worker answers OK without a metric
};

struct PlantedCase {
  std::array<Fate, 2> fate{Fate::fine, Fate::fine};  // by side
  std::array<std::int64_t, 2> from_round{};          // of a fate without samples
  double change = 0;                                 // of the candidate, a fraction
};

/// A visit of a run. `nth`: in pairs, a worker visits a case twice.
struct VisitKey {
  std::size_t subject = 0;  // position in the scenario
  std::int64_t round = 0;
  Profile profile = Profile::timing;
  int nth = 0;
  auto operator<=>(const VisitKey&) const = default;
};

struct Scenario {
  std::uint64_t seed = 0;
  std::vector<Case> cases;
  std::vector<PlantedCase> planted;
  std::int64_t rounds = 1;
  std::size_t devices = 1, shards = 1;
  bool changes_devices = false;  // lives go on with other devices of the class
  bool lacks_trace = false;      // no worker of profile trace starts
  bool reuses_pids = false;      // process ids come from a small range

  bool has_trace() const;
  /// Position of the case with this id. A case that is not there is a Violation.
  std::size_t position_of(const std::string& id) const;
  /// What a worker answers.
  MeasureAnswer answer(const VisitKey& visit, SideNumber side) const;
  /// The status that a run records of this visit.
  Status status(const VisitKey& visit, SideNumber side) const;
  /// All visits by workers that a run of these cases needs, and their statuses.
  std::map<VisitKey, Status> expected(const std::vector<std::size_t>& subjects,
                                      SideNumber side) const;
  /// Whether a visit of the case fails on that side.
  bool fails(std::size_t subject, SideNumber side) const;
};

/// Everything is drawn from the seed.
Scenario scenario_of(std::uint64_t seed);

std::string device_uuid(std::size_t device);
/// Of the program that measures that side.
std::string worker_hash(SideNumber side);

/// The record of a new run of all cases, on devices with these UUIDs.
RunInfo info_of(const Scenario& scenario, SideNumber side, std::vector<std::string> uuids);

}  // namespace plumbline::simulation
