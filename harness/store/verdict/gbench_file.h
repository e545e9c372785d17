/// A run as Google Benchmark's JSON, with the names that plumbline-gbench uses, so that the same
/// tools, and import_gbench, can read both.
#pragma once

#include <cstddef>
#include <string>

#include "core/run/run.h"

namespace plumbline {

struct GbenchText {
  std::string json;
  std::size_t left_out = 0;  // rows of metrics that are not times, which the format cannot hold
};

/// A benchmark for each case × metric, a repetition for each visit. The time is the mean over the
/// visit's blocks; `cpu_time` is 0, since it is not measured. A case without samples is a benchmark
/// with an error. Throws Error if the run has no time.
GbenchText gbench_json(const Run& run);

}  // namespace plumbline
