/// How far a run directory has come, while it is written or after.
///
/// Reads four columns of results.csv and keeps no samples. Knows no plan and no other run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace plumbline {

struct ShardProgress {
  std::int64_t visits = 0;        // complete ones, of cases that can be measured
  std::int64_t failed_cases = 0;  // WRONG, CRASHED, TIMEOUT, OUT_OF_MEMORY
  double written_at_s = 0;        // when results.csv last changed, in seconds since 1970
  bool is_written = false;        // a process on this machine holds the run's lock
};

/// Throws Error if results.csv cannot be read. A torn end is no mistake.
ShardProgress read_progress(const std::string& run_directory);

}  // namespace plumbline
