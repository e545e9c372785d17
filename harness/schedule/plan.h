/// What a run does: which cases are visited in which round, by a worker of which profile, and in
/// which order.
///
/// Everything follows from the cases and the seed, so a resumed run gets the same order. The cases
/// of a shard (shards.h) are a plan of their own. Starts nothing.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/case.h"
#include "core/run/earlier_visits.h"
#include "core/run/metric.h"
#include "core/run/result.h"
#include "schedule/worker_kind.h"

namespace plumbline {

struct Plan {
  std::span<const Case> cases;  // selected cases; excluded and unsupported ones get one row each
  std::int64_t seed = 1;        // decides orders; the policy's seed decides a case's inputs
  /// By case: the device (UUID) that measured it before. It measures the case again if it is one of
  /// the run's.
  std::map<CaseKey, std::string> homes{};
  std::string device_uuid{};        // device of the run; a worker on another one is an Error
  EarlierVisits measured{};         // complete visits of the resumed run
  std::string device_kind = "cpu";  // cpu, cuda: decides which profiles measure a metric
  std::string worker_hash{};        // of the program that measures; another is an Error
};

/// The part of a round for workers of one kind. Turns are run in ascending order.
struct Turn {
  std::int64_t round = 0;
  WorkerKind kind{};
  auto operator<=>(const Turn&) const = default;
};

/// Whether the case can be measured: neither excluded nor unsupported.
bool is_runnable(const Case& c);

/// Profiles that visit the case, ascending: those of the metrics in its policy, and `timing` if it
/// uses streams or its policy has no metrics.
std::vector<Profile> profiles_of(const Case& c, std::string_view device_kind);

/// Decides where a case stands among others. Does not depend on them.
std::uint64_t hash_of(const Case& c, std::uint64_t seed);

/// The kind of worker that measures the case in that profile.
WorkerKind kind_of(const Case& c, Profile profile);

/// Kinds of workers that a round goes through, in this order: those that cases need.
std::vector<WorkerKind> kinds_of(const Plan& plan);

/// Positions in `plan.cases` of the cases that a turn measures, in its order. The order of
/// two cases does not depend on the other cases.
std::vector<std::size_t> order_of_turn(const Plan& plan, Turn turn);

/// Assigns each case to one of `devices` devices, for all rounds and profiles, with about the same
/// number of visits for each. Depends only on the cases; adding or removing one moves few others.
std::vector<std::size_t> spread_cases(const Plan& plan, std::size_t devices);

}  // namespace plumbline
