/// Runs with a planted truth for the tests of analysis/: no files, no device, seeded.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline::planted {

inline Run run_on(const std::string& device_class, const std::string& kind = "cuda") {
  Run run;
  run.info.environment.device_kind = kind;
  run.info.environment.device_class = device_class;
  run.info.environment.device_uuids = {"GPU-1"};
  run.info.environment.device_units = 132;
  run.info.finished_at = "2026-01-01T00:00:00Z";
  return run;
}

inline ResultRow row_of(const std::string& case_id, std::int64_t round) {
  ResultRow row;
  row.suite = "quick";
  row.case_id = case_id;
  row.op = case_id.substr(0, case_id.find('/'));
  row.backend = "libtorch";
  row.revision = std::string("1");  // g++ 12 sees an overlap in `= "1"` (its bug 105651)
  row.metric = "gpu_time_cold";
  row.unit = std::string("s");
  row.round = round;
  return row;
}

/// A visit of four blocks around `seconds`, 0.1 % apart.
inline void add_visit(Run& run, const std::string& case_id, std::int64_t round, double seconds,
                      const std::string& metric = "gpu_time_cold") {
  ResultRow row = row_of(case_id, round);
  row.metric = metric;
  for (const double factor : {0.999, 1.0, 1.001, 1.0}) {
    const double block[] = {seconds * factor, seconds * factor * 1.01, seconds * factor * 0.99};
    row.samples.add_block(block);
  }
  run.rows.push_back(std::move(row));
}

/// Three visits that differ by `spread` (relative).
inline void add_case(Run& run, const std::string& case_id, double seconds, double spread = 0.001,
                     const std::string& metric = "gpu_time_cold") {
  add_visit(run, case_id, 0, seconds * (1 - spread), metric);
  add_visit(run, case_id, 1, seconds, metric);
  add_visit(run, case_id, 2, seconds * (1 + spread), metric);
}

inline void add_status(Run& run, const std::string& case_id, Status status,
                       const std::string& reason, std::int64_t round = 0) {
  ResultRow row = row_of(case_id, round);
  row.metric.clear();
  row.unit.clear();
  row.status = status;
  row.reason = reason;
  run.rows.push_back(std::move(row));
}

/// A metric that a visit could not measure.
inline void add_absent(Run& run, const std::string& case_id, const std::string& metric,
                       const std::string& reason, std::int64_t round = 0) {
  add_status(run, case_id, Status::unsupported, reason, round);
  run.rows.back().metric = metric;
}

/// Scatter of the simulated device: standard deviations of logarithms.
struct Noise {
  double visit_sd = 0.0025, block_sd = 0.01, block_sd_spread = 0, run_sd = 0.002;
  int rounds = 3, blocks = 16;
};

/// Block standard deviation of each case, log-normal around `block_sd`. It is a property of the
/// case, so both runs share it.
inline std::vector<double> block_sds(std::size_t cases, const Noise& noise,
                                     std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> sds(cases);
  for (double& sd : sds) sd = noise.block_sd * std::exp(noise.block_sd_spread * normal(random));
  return sds;
}

/// A run of cases `op<i % ops>/libtorch/n=<i>` whose true time is 10 µs × factor[i]; blocks are
/// reduced to one value each, as in a baseline.
inline Run simulate(const std::vector<double>& factors, const std::vector<double>& sds,
                    const Noise& noise, std::mt19937_64& random, int ops = 4,
                    const std::string& kind = "cuda") {
  std::normal_distribution<double> normal;
  Run run = run_on("NVIDIA H200", kind);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const std::string id = "op" + std::to_string(i % static_cast<std::size_t>(ops)) +
                           "/libtorch/n=" + std::to_string(i);
    const double night = noise.run_sd * normal(random);
    for (int round = 0; round < noise.rounds; ++round) {
      ResultRow row = row_of(id, round);
      const double visit = night + noise.visit_sd * normal(random);
      for (int block = 0; block < noise.blocks; ++block) {
        const double value[] = {1e-5 * factors[i] * std::exp(visit + sds[i] * normal(random))};
        row.samples.add_block(value);
      }
      run.rows.push_back(std::move(row));
    }
  }
  return run;
}

}  // namespace plumbline::planted
