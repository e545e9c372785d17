/// What Google Benchmark is to report: a benchmark per case × metric, a repetition per visit.
///
/// Turns cases and results into that; knows neither Google Benchmark nor how a case is measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/estimate/repetition.h"
#include "core/run/case.h"
#include "core/run/run.h"

namespace plumbline {

struct CaseBenchmark {
  std::size_t subject = 0;  // position of its case
  std::string name;         // suite/case id/metric
  std::int64_t rounds = 1;
  std::vector<Repetition> visits;  // as many as rounds, or none
  std::string error;               // why there are none
};

/// What the cases will give on a device, as far as that is known before they are measured: launches
/// that turn out to wait for the host have wall_time in the place of gpu_time.
std::vector<CaseBenchmark> expected_benchmarks(const std::vector<Case>& cases,
                                               const std::string& device_kind);

/// What they gave. A case without samples has its expected benchmarks, with status and reason as
/// their error.
std::vector<CaseBenchmark> measured_benchmarks(const std::vector<Case>& cases,
                                               const std::string& device_kind, const Run& run);

}  // namespace plumbline
