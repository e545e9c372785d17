/// What identifies a run wherever it is stored, so that a copy is not counted twice.
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "core/moment.h"
#include "core/run/run.h"

namespace plumbline {

/// A device begins only one run at a time; shards of a run are separate runs.
struct RunIdentity {
  std::optional<Moment> start;  // unknown: the run has no identity and equals no other
  std::string device_uuid, host, shard;
  auto operator<=>(const RunIdentity&) const = default;
};

/// Nothing for a date without a time: several runs may start on one day.
inline std::optional<Moment> moment_of_start(const std::string& started_at) {
  return is_date_alone(started_at) ? std::nullopt : moment_of(started_at);
}

inline RunIdentity identity_of(const RunInfo& info) {
  return {moment_of_start(info.started_at), info.environment.device_uuid(), info.environment.host,
          info.shard};
}

}  // namespace plumbline
