/// A run in progress over all its shards: what is done, failed, slow and not started, and when it
/// will end: the command `status`.
///
/// Reads run directories; writes nothing and asks no scheduler.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/shards/found_shards.h"

namespace plumbline {

/// In the order of what needs attention.
enum class PartState { unreadable, stopped, slow, running, not_started, done };
std::string_view name_of(PartState state);

/// A shard, or a run without shards.
struct PartStatus {
  std::string name;  // "3/8", or of the folder
  std::string path;  // "" if it has not started
  PartState state = PartState::not_started;
  std::string reason;  // why it is unreadable or slow; of a stopped one: what goes on with it
  std::string host;
  std::int64_t visits = 0, planned = 0;  // planned: 0 = not recorded
  std::int64_t failed_cases = 0;
  std::optional<double> quiet_s;      // since it last wrote a visit; not of finished ones
  std::optional<double> remaining_s;  // of running ones with a visit and a plan
  double elapsed_s = 0;               // since it started, until it finished
};

struct RunStatus {
  std::vector<PartStatus> parts;      // in the order of their numbers
  std::optional<double> remaining_s;  // until all are done; unknown if some are stopped or nothing
                                      // runs
  std::vector<std::string> notes;

  std::size_t count(PartState state) const;
};

/// When and where the question is asked.
struct StatusMoment {
  double now_s = 0;     // seconds since 1970
  std::string boot_id;  // of this machine, "" = unknown
};
StatusMoment this_moment();

/// Throws Error if there is no run at `paths`, or if they hold shards of different divisions.
RunStatus status_of(const std::vector<std::string>& paths, const StatusMoment& moment);

}  // namespace plumbline
