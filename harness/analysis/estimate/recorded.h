/// What runs record of a case beside its times, and what became of it between two runs.
///
/// A value that a side did not record is unknown: nothing is claimed of it, least of all that it
/// stayed the same. Knows no file formats; store/recorded/evidence.h reads rows into these.
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
  shared_memory,
  plan,
  workspace,
  peak_memory,
  result_error,
  clock,
  throttle,
  power,
  revision,
  code,
};
inline constexpr std::size_t kAspects = 14;

struct AspectInfo {
  std::string_view name, label;
  std::string_view unit;   // "" = a text
  double tolerance = 0;    // relative: numbers that differ by less are the same
  bool is_launch = false;  // a property of the kernels: means nothing where these differ
};
const AspectInfo& info_of(Aspect aspect);

/// A text, or a number.
struct RecordedValue {
  std::string text;
  double number = kUnknown;
};

/// By aspect; nothing = not recorded.
using CaseRecord = std::array<std::optional<RecordedValue>, kAspects>;

/// Both sides of a case, from the runs that its verdict was reached on.
struct CaseEvidence {
  CaseRecord baseline, candidate;
  std::vector<std::string> kernels;  // names, of the candidate
  const RunInfo* baseline_info = nullptr;
  const RunInfo* candidate_info = nullptr;  // neither is null
};

/// Gives the evidence of a finding's case; its metric chooses whose clocks and power are taken.
/// What it refers to lives as long as the function.
using EvidenceOf = std::function<const CaseEvidence&(const Finding& finding)>;

/// Facts of these cases, in the order of Aspect. Aspects that no side recorded of any case are left
/// out, except clock and kernels, whose absence is said of any device but a CPU.
std::vector<RecordedFact> recorded_facts(std::span<const CaseEvidence* const> cases);

/// Facts about two whole runs that can matter to the cases of these backends; `cases` counts them.
/// What is the same is left out; what a side did not record is unknown.
std::vector<RecordedFact> run_facts(const RunInfo& baseline, const RunInfo& candidate,
                                    std::span<const std::string> backends, std::size_t cases);

/// Whether the clock moved against the time by as much: log(candidate / baseline) of both cancel to
/// within a third. `time_change` is a fraction. False where a clock is not known or stood still.
bool clock_explains(const CaseEvidence& evidence, double time_change);

}  // namespace plumbline
