/// What Google Benchmark reports: one benchmark per case × metric, one repetition per visit.
///
/// Converts cases and results; knows neither Google Benchmark nor how a case is measured.
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
  std::string error;               // why there are no visits
};

/// The benchmarks expected on a device before it has measured. Launches that turn out to wait for
/// the host have wall_time instead of gpu_time.
std::vector<CaseBenchmark> expected_benchmarks(const std::vector<Case>& cases,
                                               const std::string& device_kind);

/// The measured benchmarks. A case without samples has its expected benchmarks, with its status and
/// reason as their error.
std::vector<CaseBenchmark> measured_benchmarks(const std::vector<Case>& cases,
                                               const std::string& device_kind, const Run& run);

}  // namespace plumbline
