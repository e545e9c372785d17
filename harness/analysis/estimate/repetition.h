/// A visit as one repetition of a benchmark: what Google Benchmark's format has a place for.
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

/// Of a row with samples of a time. Throws as visit_value().
Repetition repetition_of(const ResultRow& row);

/// "CRASHED: signal 11": what is told in the place of repetitions.
std::string no_repetitions(Status status, const std::string& reason);

}  // namespace plumbline
