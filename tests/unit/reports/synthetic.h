/// Hand-made runs for the tests of the report: planted changes, failures and hostile names.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/compare.h"
#include "core/run/case.h"
#include "core/run/run.h"
#include "core/value.h"
#include "store/run/baseline_row.h"

namespace plumbline {

inline const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> kNames{
      "</script><script>alert(1)</script>",
      "<img src=x onerror=alert(2)>",
      "\" onmouseover=\"alert(3)\" x='",
      "<!--<script>",
      "\xE2\x80\xAEgnp.exe\xE2\x80\xA8line\xE2\x80\xA9paragraph",  // RTL override, U+2028, U+2029
      "bad\xFFutf8\x01\x1B[31m",
      std::string(10'000, 'x'),
      "&lt;b&gt; {{sections}} 'quoted' $(reboot)",
  };
  return kNames;
}

/// One kernel and one copy of a launch, as a traced visit reports them.
inline std::string kernels_json(int registers,
                                const std::string& name = "main_kernel<float, 256>") {
  return R"([{"name": ")" + name + R"(", "grid": [64, 2, 1], "block": [256, 1, 1], )" +
         R"("registers": )" + std::to_string(registers) +
         R"(, "local": 0, "shared_static": 1024, "shared_dynamic": 65536, "occupancy": 0.25, )" +
         R"("code": "9f3a51c07be2d)" + std::to_string(registers + 100) + R"(", "calls": 2, )" +
         R"("time_s": 1.5e-05}, {"name": "memcpy HtoD", "bytes": 4096, "calls": 1, )" +
         R"("time_s": 2e-06}])";
}

/// Shape of a synthetic run.
struct SyntheticShape {
  std::size_t cases = 60;
  std::vector<std::string> metrics{"gpu_time_cold", "gpu_time_hot"};
  int rounds = 3, blocks = 8, samples = 10;
  bool hostile = false;
};

class SyntheticRun {
 public:
  explicit SyntheticRun(SyntheticShape shape) : shape_(std::move(shape)) {}

  /// `slowdown(i)` multiplies the times of case i; noise differs by `seed`.
  template <typename Slowdown>
  Run make(std::uint64_t seed, Slowdown slowdown) const {
    Run run;
    run.info = info(seed);
    run.path = "runs/2026-05-0" + std::to_string(1 + seed % 9) + "-c0ffee12-h200";
    std::mt19937_64 random(seed);
    for (int round = 0; round < shape_.rounds; ++round)
      for (std::size_t i = 0; i < shape_.cases; ++i)
        for (std::size_t m = 0; m < shape_.metrics.size(); ++m)
          run.rows.push_back(row(i, m, round, slowdown(i), random));
    return run;
  }

  std::string id(std::size_t i) const { return case_id(name(i), backend(i), params(i)); }

 private:
  static constexpr const char* kOps[] = {"softmax", "gemm", "layer_norm", "conv2d", "gelu", "add"};
  static constexpr const char* kDtypes[] = {"float32", "float16", "bfloat16"};

  std::string name(std::size_t i) const {
    const auto& hostile = hostile_names();
    if (shape_.hostile && i >= 1 && i <= hostile.size()) return hostile[i - 1];
    return kOps[i % 6];
  }
  static std::string backend(std::size_t i) {
    return i % 7 == 3 ? "cudnn" : i % 7 == 5 ? "custom" : "libtorch";
  }
  static Params params(std::size_t i) {
    return {{"dtype", std::string(kDtypes[i / 6 % 3])},
            {"rows", std::int64_t(128) << (i / 18 % 8)},
            {"cols", std::int64_t(256 + i)}};
  }

  ResultRow row(std::size_t i, std::size_t m, int round, double factor,
                std::mt19937_64& random) const {
    std::normal_distribution<double> noise;
    ResultRow row;
    row.suite = "nightly";
    row.case_id = id(i);
    row.op = name(i);
    row.backend = backend(i);
    row.revision = "1";
    row.device = "GPU-5e1f0a3c";
    row.metric = shape_.metrics[m];
    row.unit = "s";
    row.round = round;
    row.order = std::int64_t(i);
    row.worker = "timing-" + std::to_string(100 + round);
    row.batch = m == 1 ? 16 : 1;
    row.floor_s = 2.9e-6;
    row.temperature_c = 41 + round;
    row.kernels = kernels_json(96, std::string(kOps[i % 6]) + "_kernel<float, 256>");
    row.error_rel_l2 = 3.1e-7;
    row.error_max_abs = 2.4e-6;
    row.tolerance = 1.2e-5;
    const double time = 4e-6 * std::pow(1.9, double(i % 17)) * (m == 0 ? 1.0 : 0.71) * factor;
    row.bytes = time * 2.1e12;
    row.flops = i % 6 == 1 ? time * 4.2e14 : time * 1.1e12;
    if (i % 11 == 4) row.flags = {"bimodal"};
    const double visit = 1 + 0.0012 * noise(random);
    std::vector<double> block(std::size_t(shape_.samples));
    for (int b = 0; b < shape_.blocks; ++b) {
      const double place = 1 + 0.002 * noise(random);
      for (double& sample : block) {
        const double tail = random() % 97 == 0 ? 0.12 : 0.0;
        sample = time * visit * place * (1 + 0.003 * std::abs(noise(random)) + tail);
      }
      row.samples.add_block(block);
      row.block_clocks_hz.push_back(1.98e9);
    }
    return row;
  }

  RunInfo info(std::uint64_t seed) const {
    RunInfo info;
    info.plumbline = "0.1.0";
    info.command = {"plumbline", "run", "suites/nightly.yaml"};
    info.suites = {{"nightly", "suites/nightly.yaml", "4be1", {}}};
    info.started_at = "2026-05-0" + std::to_string(1 + seed % 9) + "T02:00:00Z";
    info.finished_at = "2026-05-0" + std::to_string(1 + seed % 9) + "T02:21:40Z";
    Environment& e = info.environment;
    e.device_kind = "cuda";
    e.device_class = e.device_model = "NVIDIA H200";
    e.device_uuids = {"GPU-5e1f0a3c"};
    e.device_units = 132;
    e.driver = seed % 2 == 0 ? "580.95.05" : "580.82.07";
    e.cudnn = "9.19.0";
    e.libtorch = "2.11.0";
    e.host = shape_.hostile ? "<b>host</b>" : "bench-03";
    e.commit = seed % 2 == 0 ? "c0ffee1234567890c0ffee1234567890c0ffee12"
                             : "badcab1e34567890badcab1e34567890badcab1e";
    e.branch = shape_.hostile ? hostile_names()[0] : "main";
    return info;
  }

  SyntheticShape shape_;
};

/// Replaces the rows of a case by rows without samples.
inline void fail_case(Run& run, const std::string& id, Status status, const std::string& reason) {
  std::erase_if(run.rows, [&](const ResultRow& row) { return row.case_id == id && row.round > 0; });
  bool is_first = true;
  std::erase_if(run.rows, [&](ResultRow& row) {
    if (row.case_id != id) return false;
    row.status = status;
    row.reason = reason;
    row.metric = row.unit = "";
    row.samples = {};
    return !std::exchange(is_first, false);
  });
}

/// What a run records besides samples: calibration, sentinels, and for case `id` its kernels,
/// another timer, a shown metric, a block that was set aside, a metric that could not be measured.
inline void record_more(Run& run, const std::string& id, int registers) {
  run.info.calibration = {{"copy_bytes_per_s", 4.2e12},
                          {"copy_bytes_per_s_uncertainty", 4.2e10},
                          {"event_floor_s", 3.3e-6}};
  run.info.environment.device_l2_bytes = 52428800;
  WorkerRecord& worker = run.info.workers.emplace_back();
  worker.name = "timing-100";
  worker.started_at = "2026-05-02T02:00:05Z";
  worker.sentinel_before = {{"spin_s", 1e-4}};
  worker.sentinel_after = {{"spin_s", 1.012e-4}};
  std::vector<ResultRow> more;
  for (ResultRow& row : run.rows) {
    if (row.case_id != id || row.metric != "gpu_time_cold") continue;
    ResultRow span = row;
    span.metric = "kernel_span_cold";
    span.worker = "trace-" + std::to_string(200 + row.round);
    span.kernels = kernels_json(registers);
    row.timers_s = {{"cupti_span", row.samples.values()[0] / 2}};
    row.block_causes.assign(row.samples.blocks(), "");
    if (row.round == 1) row.block_causes[2] = "thermal";
    ResultRow absent = span;
    absent.status = Status::unsupported;
    absent.reason = "CUPTI lost records";
    absent.metric = "kernel_time_cold";
    absent.samples = {};
    absent.block_clocks_hz.clear();
    more.push_back(std::move(span));
    more.push_back(std::move(absent));
  }
  run.rows.insert(run.rows.end(), more.begin(), more.end());
}

/// The part that `accept` keeps: one mean per visit.
inline Run reduced(const Run& run) {
  Run small = run;
  small.info.acceptance = Acceptance{"ci", "first night", "2026-05-02T09:00:00Z", "9f3c"};
  reduce(small);
  return small;
}

}  // namespace plumbline
