/// Runs of any size from a seed, the same on every machine: for tests and for tests/perf.
///
/// true_value() has the planted truth: the time of each case × metric before noise.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

struct SyntheticShape {
  std::size_t cases = 100, metrics = 1, rounds = 3, blocks = 3, samples = 10;
  std::uint64_t seed = 1;
  double noise = 0.002;  // relative standard deviation of a sample
};

/// SplitMix64 and the sum of twelve uniforms, because libraries' distributions differ between
/// machines.
class SyntheticNoise {
 public:
  explicit SyntheticNoise(std::uint64_t seed) : state_(seed) {}
  double uniform() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t state_;
};

/// Seconds that a launch of case `i` takes in metric `m`: 5 µs to 5 ms.
inline double true_value(std::size_t i, std::size_t m) {
  return 5e-6 * std::pow(10.0, static_cast<double>(i % 97) / 32) * (1 + 0.25 * double(m));
}

inline ResultRow synthetic_row(const SyntheticShape& shape, std::size_t round, std::size_t i,
                               std::size_t m) {
  ResultRow row;
  row.suite = "synthetic";
  row.case_id = "gemm/libtorch/dtype=float16/k=" + std::to_string(64 * (i + 1)) +
                "/m=4096/n=4096/transpose_b=true";
  row.op = "gemm";
  row.backend = "libtorch";
  row.revision = "1";
  row.code = "0a1b2c3d4e5f6071";
  row.device = "GPU-2f1c9a3e-5b1d-4c59-9a53-0d1f0f2b7c11";
  row.metric = m == 0 ? "gpu_time_cold" : m == 1 ? "gpu_time_hot" : "metric_" + std::to_string(m);
  row.unit = "s";
  row.round = static_cast<std::int64_t>(round);
  row.order = static_cast<std::int64_t>(i);
  row.worker = "timing:" + std::to_string(4000 + round);
  row.part = static_cast<std::int64_t>(m) + 1;
  row.parts = static_cast<std::int64_t>(shape.metrics);
  row.floor_s = 2.784e-6;
  row.temperature_c = 41;
  row.power_w = 312.5;
  row.kernels = "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT";
  row.flops = 2.0 * 4096 * 4096 * 64 * double(i + 1);
  row.bytes = 2.0 * (4096 * 4096 + 2 * 4096 * 64 * double(i + 1));
  row.error_rel_l2 = 3.0e-4;
  row.error_max_abs = 0.0078125;
  row.error_max_ulp = 2.5;
  row.tolerance = 0.004;
  if (round == 0) row.repeats = kRepeatsBitwise;
  row.spent_s = {{"launch", 0.08}, {"measure", 0.1}, {"prepare", 0.001}, {"verify", 0.02}};
  SyntheticNoise noise(shape.seed * 1000003 + (round * shape.cases + i) * shape.metrics + m);
  std::vector<double> block(shape.samples);
  for (std::size_t b = 0; b < shape.blocks; ++b) {
    for (double& sample : block) sample = true_value(i, m) * (1 + shape.noise * noise.normal());
    row.samples.add_block(block);
    row.block_times_s.push_back(0.011 * static_cast<double>(b + 1));
    row.block_clocks_hz.push_back(1.98e9 - 1.5e7 * noise.uniform());
  }
  return row;
}

/// A finished run in memory: cases × metrics × rounds rows, visit by visit.
inline Run synthetic_run(const SyntheticShape& shape) {
  Run run;
  run.info.plumbline = "0.1.0";
  run.info.command = {"plumbline", "run", "synthetic.yaml"};
  run.info.suites = {{"synthetic", "synthetic.yaml", "00000000deadbeef", {}}};
  run.info.started_at = "2026-01-01T00:00:00Z";
  run.info.finished_at = "2026-01-01T01:00:00Z";
  run.info.environment.device_kind = "cuda";
  run.info.environment.device_class = "NVIDIA H200";
  run.info.environment.device_uuids = {"GPU-1"};
  run.info.environment.device_model = "NVIDIA H200";
  run.info.environment.device_units = 132;
  run.rows.reserve(shape.cases * shape.metrics * shape.rounds);
  for (std::size_t round = 0; round < shape.rounds; ++round)
    for (std::size_t i = 0; i < shape.cases; ++i)
      for (std::size_t m = 0; m < shape.metrics; ++m)
        run.rows.push_back(synthetic_row(shape, round, i, m));
  return run;
}

}  // namespace plumbline
