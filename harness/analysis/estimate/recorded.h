/// What runs record about a case besides its times, and how it changed between two runs.
///
/// A value that a side did not record is unknown: no claim is made, in particular not that it
/// stayed the same. Does not know file formats; store/recorded/evidence.h reads rows.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "core/run/run.h"

namespace plumbline {

enum class Aspect {
  kernels,
  grid,
  block,
  registers,
  local_memory,
  shared_memory,
  machine_code,
  plan,
  workspace,
  peak_memory,
  result_error,
  clock,
  throttle,
  power,
  revision,
  code,
  dram_bytes,  // this one and what follows: of the hardware's counters
  l2_bytes,
  l2_hit_rate,
  l1_hit_rate,
  sectors_per_load,
  sectors_per_store,
  shared_conflicts,
  instructions,
  issue_active,
  tensor_active,
  achieved_occupancy,
  main_stall,
};
inline constexpr std::size_t kAspects = 28;
/// Aspects whose value is that of the metric with the same name.
constexpr bool is_counter(Aspect aspect) {
  return aspect >= Aspect::dram_bytes && aspect < Aspect::main_stall;
}

struct AspectInfo {
  std::string_view name, label;
  std::string_view unit;   // "" = a text
  double tolerance = 0;    // relative: numbers that differ by less are equal
  bool is_launch = false;  // a property of the kernels: meaningless if these differ
  double least = 0;        // in the unit: so are numbers that differ by less
};
const AspectInfo& info_of(Aspect aspect);

/// A text, or a number.
struct RecordedValue {
  std::string text;
  double number = kUnknown;
};

/// By aspect; nothing = not recorded.
using CaseRecord = std::array<std::optional<RecordedValue>, kAspects>;

/// A kernel or a copy of a launch, with the time of all its calls; kUnknown: not traced.
struct KernelTime {
  std::string name;
  double time_s = kUnknown;
  bool is_copy = false;
};

/// Both sides of a case, from the runs that the verdict is based on.
struct CaseEvidence {
  CaseRecord baseline, candidate;
  std::vector<KernelTime> kernels;  // of the candidate
  const RunInfo* baseline_info = nullptr;
  const RunInfo* candidate_info = nullptr;  // neither is null
  std::vector<KernelTime> baseline_kernels;
};

/// Returns the evidence of a finding's case; its metric decides whose clocks and power are used.
/// The result is valid as long as the function.
using EvidenceOf = std::function<const CaseEvidence&(const Finding& finding)>;

/// Facts about these cases, in the order of Aspect. Aspects that neither side recorded for any case
/// are left out. Exceptions: a missing clock or missing kernels are reported for all devices except
/// CPUs.
std::vector<RecordedFact> recorded_facts(std::span<const CaseEvidence* const> cases);

/// Facts about two whole runs that can matter to the cases of these backends; `cases` counts them.
/// Equal values are left out; values that a side did not record are unknown.
std::vector<RecordedFact> run_facts(const RunInfo& baseline, const RunInfo& candidate,
                                    std::span<const std::string> backends, std::size_t cases);

/// True if the clock moved against the time by the same amount: log(candidate / baseline) of both
/// cancel to within a third. `time_change` is a fraction. False if a clock is unknown or did not
/// change.
bool clock_explains(const CaseEvidence& evidence, double time_change);

}  // namespace plumbline
