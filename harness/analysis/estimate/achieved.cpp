#include "analysis/estimate/achieved.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "core/run/case.h"
#include "core/run/device_calibration.h"
#include "core/run/metric.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr double kConfidence = 0.99;

/// A time of something other than the work that the row's cost describes.
constexpr std::string_view kTimeOfHost = "host_time";
/// Launches that ran concurrently: the limit that they reached is not that of a single launch.
constexpr std::string_view kTimeOfSeveral = "makespan";
/// Longer copies are faster by up to this share than those that calibrated the bus.
constexpr double kBusSlack = 0.01;
/// A launch that exceeds the calibrated rate by this share does less than its case declares.
constexpr double kBeyondFlops = 0.25, kBeyondBytes = 0.05;

/// A limit bounds a launch if it explains this share of its time.
constexpr double kBoundShare = 0.5;

/// Times that are only shown are of a part of the work, or of more than one launch: phases,
/// latencies, compilation. The span of a launch's kernels is of all of it.
bool is_time_of_work(const MetricRows& metric) {
  if (metric.unit != "s" || metric.metric == kTimeOfHost) return false;
  const Metric* const known = find_metric(metric.metric);
  return known == nullptr || known->is_judged || known->measurement == "kernel_time";
}

bool is_cold(const ResultRow& row) { return row.metric.find("_cold") != std::string::npos; }

/// Upper bound of the time of a launch with confidence kConfidence. A single visit has only its
/// blocks: three standard errors replace the quantile.
double upper_end(const Estimate& time) {
  if (time.logs.size() > 1) return std::exp(mean_interval(time.logs, kConfidence).high);
  return time.value * std::exp(3 * std::sqrt(time.block_floor));
}

/// Ops whose dtype is that of the result, with that of their products. No rate of 4-bit products is
/// calibrated.
constexpr std::array<std::pair<std::string_view, const char*>, 4> kNarrowOps{
    {{"fp8_gemm", "float8"},
     {"block_fp8_gemm", "float8"},
     {"mxfp8_gemm", "float8"},
     {"nvfp4_gemm", "float4"}}};

/// Values of the axis `precision` of networks (core/op/techniques.h), beside float32.
constexpr std::array<std::string_view, 3> kAutocast{"tf32", "bfloat16", "float16"};

/// The dtype of the case's matrix products; "" if its id does not say.
std::string product_dtype(const ResultRow& row, const RunInfo& info) {
  for (const auto& [op, dtype] : kNarrowOps)
    if (row.op == op) return dtype;
  std::string dtype, precision, quantize;  // the last two of networks
  bool in_tf32 = info.environment.numerics.find("tf32 on") != std::string::npos;
  for (const auto& [key, value] : case_id_parts(row.case_id)) {
    if (key == "dtype") dtype = value;
    if (key == "precision") precision = value;
    if (key == "quantize") quantize = value;
    if (key == "library.tf32" && value == "true") in_tf32 = true;
  }
  if (quantize == "fp8") return "float8";
  if (quantize == "int8") return quantize;
  if (std::ranges::find(kAutocast, precision) != kAutocast.end()) return precision;
  if (dtype.starts_with("float8_")) return "float8";
  return dtype == "float32" && in_tf32 ? "tf32" : dtype;
}

/// The calibrated rate of matrix products in the case's dtype: the sustained rate or that of single
/// products after a pause, whichever is higher. A launch that is timed alone may run before the
/// power limit lowers the clock. The TF32 rate if float32 products run in TF32.
Calibrated matmul_rate(const ResultRow& row, const std::string& dtype, const RunInfo& info) {
  const std::string name = "matmul_" + dtype;
  const Calibrated sustained = calibrated(info, name + "_flops_per_s", row.device);
  const Calibrated burst = calibrated(info, name + "_burst_flops_per_s", row.device);
  return burst.value > sustained.value ? burst : sustained;
}

/// The calibrated bandwidth that a copy between host and device is compared with.
struct BusPath {
  std::string_view path, host, calibration;
};
constexpr std::array<BusPath, 4> kBusPaths{{
    {"host_to_device", "pinned", "h2d_bytes_per_s"},
    {"device_to_host", "pinned", "d2h_bytes_per_s"},
    {"host_to_device", "pageable", "h2d_pageable_bytes_per_s"},
    {"device_to_host", "pageable", "d2h_pageable_bytes_per_s"},
}};
std::optional<BusPath> bus_path(const ResultRow& row) {
  if (row.op != "copy") return std::nullopt;
  std::string path, host = "pinned";  // as in ops/copy/op.cpp
  for (const auto& [key, value] : case_id_parts(row.case_id)) {
    if (key == "path") path = value;
    if (key == "host") host = value;
  }
  for (const BusPath& known : kBusPaths)
    if (known.path == path && known.host == host) return known;
  return std::nullopt;
}

/// Bytes that must cross the memory bus in one launch; unknown if the size of L2 is.
double crossing_bytes(const ResultRow& row, const Environment& environment) {
  const auto l2 = double(environment.device_l2_bytes.value_or(0));
  if (!(l2 > 0)) return kUnknown;
  return std::max(0.0, row.bytes - (is_cold(row) ? 1 : 2) * l2);
}

bool exceeds(double rate, const Calibrated& peak, double slack = 0) {
  return rate > peak.value * (1 + slack) + peak.uncertainty;
}

/// Flags work per launch that was done at more than the calibrated rate. If it exceeds that by
/// `beyond`, it is also flagged as faster than the device.
void hold_against(Achieved& found, double work, const Estimate& time, const Calibrated& peak,
                  std::string_view flag, double beyond, const std::string& what, double slack = 0) {
  if (!exceeds(work / time.value, peak, slack)) return;  // most launches: spares them the quantile
  const double rate = work / upper_end(time);
  if (!exceeds(rate, peak, slack)) return;
  found.flags.push_back(flag);
  if (!exceeds(rate, peak, slack + beyond)) return;
  found.flags.push_back(kFlagFasterThanDevice);
  found.beyond = fmt::format("{:.3g} times the {} that this device was calibrated to reach",
                             rate / peak.value, what);
}

}  // namespace

double Achieved::share() const {
  if (std::isnan(flops_share)) return bytes_share;
  return std::isnan(bytes_share) ? flops_share : std::max(flops_share, bytes_share);
}

Calibrated calibrated(const RunInfo& info, const std::string& name, std::string_view device) {
  const std::map<std::string, double>& peaks = calibration_of(info, device);
  const auto found = peaks.find(name);
  if (found == peaks.end()) return {};
  const auto uncertainty = peaks.find(name + "_uncertainty");
  return {found->second, uncertainty == peaks.end() ? 0 : uncertainty->second};
}

Achieved achieved(const MetricRows& metric, const Estimate& time, const RunInfo& info) {
  Achieved found;
  if (!is_time_of_work(metric) || metric.rows.empty() || !(time.value > 0)) return found;
  const ResultRow& row = *metric.rows.front();
  if (row.flops > 0) {
    found.flops_dtype = product_dtype(row, info);
    const Calibrated peak = matmul_rate(row, found.flops_dtype, info);
    found.flops_per_s = row.flops / time.value;
    found.flops_share = found.flops_per_s / peak.value;
    found.flops_peak = peak.value;
    hold_against(found, row.flops, time, peak, kFlagFlopsAbovePeak, kBeyondFlops,
                 "FLOP rate of " + found.flops_dtype + " products");
  }
  if (row.bytes > 0) {
    const std::optional<BusPath> bus = bus_path(row);
    const Calibrated peak =
        calibrated(info, bus ? std::string(bus->calibration) : "copy_bytes_per_s", row.device);
    found.bytes_per_s = row.bytes / time.value;
    found.bytes_share = found.bytes_per_s / peak.value;
    if (bus)
      hold_against(found, row.bytes, time, peak, kFlagBusAbovePeak, kBeyondBytes,
                   "bandwidth of the bus", kBusSlack);
    else
      hold_against(found, crossing_bytes(row, info.environment), time, peak,
                   kFlagBandwidthAbovePeak, kBeyondBytes, "bandwidth of memory");
  }
  return found;
}

RunPart run_part(const MetricRows& metric, double time_s, const RunInfo& info) {
  if (metric.metric == kTimeOfHost) return RunPart::host;
  if (!is_time_of_work(metric) || metric.metric == kTimeOfSeveral || metric.rows.empty())
    return RunPart::whole;
  const ResultRow& row = *metric.rows.front();
  const double bytes = is_cold(row) ? row.bytes : crossing_bytes(row, info.environment);
  const double copying_s =
      bytes == 0 ? 0 : bytes / calibrated(info, "copy_bytes_per_s", row.device).value;
  const double computing_s =
      row.flops == 0 ? 0 : row.flops / matmul_rate(row, product_dtype(row, info), info).value;
  if (std::isnan(copying_s) || std::isnan(computing_s)) return RunPart::whole;
  if (std::max(copying_s, computing_s) < kBoundShare * time_s) return RunPart::whole;
  return computing_s > copying_s ? RunPart::compute : RunPart::memory;
}

}  // namespace plumbline
