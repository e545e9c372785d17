/// A run as Google Benchmark's JSON, named as plumbline-gbench names its benchmarks, so that what
/// reads one reads the other, and import_gbench both.
#pragma once

#include <cstddef>
#include <string>

#include "core/run/run.h"

namespace plumbline {

struct GbenchText {
  std::string json;
  std::size_t left_out = 0;  // rows of metrics that are no times, which the format cannot hold
};

/// A benchmark for each case × metric, a repetition for each visit: its time is the mean over the
/// visit's blocks; `cpu_time` is 0, since nobody measured it. A case without samples is a benchmark
/// with an error. Throws Error where the run holds no time.
GbenchText gbench_json(const Run& run);

}  // namespace plumbline
