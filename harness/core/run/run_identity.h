/// What a run is known by wherever it lies, so that one that was copied counts once.
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "core/moment.h"
#include "core/run/run.h"

namespace plumbline {

/// A device begins one run at a time; its shards are runs of their own.
struct RunIdentity {
  std::optional<Moment> start;  // unknown: it is known by nothing, and not the same as any
  std::string device_uuid, host, shard;
  auto operator<=>(const RunIdentity&) const = default;
};

/// A date alone says on which day a run started, which several may share.
inline std::optional<Moment> moment_of_start(const std::string& started_at) {
  return is_date_alone(started_at) ? std::nullopt : moment_of(started_at);
}

inline RunIdentity identity_of(const RunInfo& info) {
  return {moment_of_start(info.started_at), info.environment.device_uuid(), info.environment.host,
          info.shard};
}

}  // namespace plumbline
