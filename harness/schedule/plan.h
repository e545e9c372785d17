/// What a run is to do: which cases are visited in which round by a worker of which profile, and in
/// which order.
///
/// All of it follows from the cases and the seed alone: a run that is resumed, or a shard of it,
/// finds the same order again. Starts nothing.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/case.h"
#include "core/run/metric.h"
#include "core/run/result.h"
#include "schedule/worker_kind.h"

namespace plumbline {

/// Part `index` (from 1) of `count` parts that together are all cases. Which part a case belongs to
/// follows from its suite and id alone.
struct Shard {
  std::int64_t index = 1, count = 1;
  bool holds(const Case& c) const;
};

struct Plan {
  std::span<const Case> cases;  // selected ones; excluded and unsupported ones give a row each
  std::int64_t seed = 1;        // orders follow from it; inputs from the seed of a case's policy
  Shard shard{};
  std::string device_uuid{};              // where the run is; a worker elsewhere is an Error
  std::span<const ResultRow> measured{};  // whole visits of a run that is resumed
  std::string device_kind = "cpu";        // cpu, cuda: decides which profiles measure a metric
  std::string worker_hash{};              // of the program that measures; another is an Error
};

/// The part of a round that workers of one kind measure. Turns happen in ascending order.
struct Turn {
  std::int64_t round = 0;
  WorkerKind kind{};
  auto operator<=>(const Turn&) const = default;
};

/// Whether a worker can measure the case at all: it is neither excluded nor unsupported.
bool is_runnable(const Case& c);

/// Profiles whose workers visit the case, ascending: those of the metrics that its policy asks for,
/// and `timing` where it has a stream configuration or asks for nothing.
std::vector<Profile> profiles_of(const Case& c, std::string_view device_kind);

/// Kinds of workers that a round goes through, in this order: those that cases of the shard need.
std::vector<WorkerKind> kinds_of(const Plan& plan);

/// Positions into `plan.cases` in the order of a turn: those of the shard that are measured in it.
/// The order of two cases does not depend on which others there are.
std::vector<std::size_t> order_of_turn(const Plan& plan, Turn turn);

/// For each case the one of `devices` devices that measures it, in all rounds and profiles: about
/// the same number of visits for each. Follows from the cases alone, and one case more or less
/// moves few others.
std::vector<std::size_t> spread_cases(const Plan& plan, std::size_t devices);

}  // namespace plumbline
