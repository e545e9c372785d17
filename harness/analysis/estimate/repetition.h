/// A visit as one repetition of a benchmark, for Google Benchmark's format.
#pragma once

#include <string>

#include "core/run/result.h"
#include "core/unknown.h"

namespace plumbline {

/// The median within each block, the mean over them, in seconds per launch.
struct Repetition {
  double seconds = kUnknown;
  double flops = kUnknown, bytes = kUnknown;  // of one launch
  std::string label;                          // doubts: UNVERIFIED and why, flags
};

/// For a row with samples of a time. Throws as visit_value().
Repetition repetition_of(const ResultRow& row);

/// "CRASHED: signal 11": shown instead of repetitions.
std::string no_repetitions(Status status, const std::string& reason);

}  // namespace plumbline
