#include "analysis/causes/moved_parts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/estimate/phases.h"

namespace plumbline {
namespace {

constexpr double kWorthTelling = 0.1;  // of the largest movement of its kind, and of the change
constexpr std::size_t kMost = 4;       // of a kind

/// Seconds of each part on both sides, summed over cases.
struct BothSides {
  double before = 0, after = 0;
};
using TimesByName = std::map<std::string_view, BothSides>;

/// Adds the phases of a case, if both sides have several.
void add_phases(const std::vector<const ShownMetric*>& shown, TimesByName& times) {
  TimesByName found;
  for (const ShownMetric* const metric : shown)
    if (metric->baseline && metric->candidate)
      found[phase_of(metric->metric)] = {*metric->baseline, *metric->candidate};
  if (found.size() < 2) return;
  for (const auto& [phase, seconds] : found) {
    times[phase].before += seconds.before;
    times[phase].after += seconds.after;
  }
}

bool are_known(std::span<const KernelTime> kernels) {
  return !kernels.empty() && std::ranges::all_of(kernels, [](const KernelTime& kernel) {
    return std::isfinite(kernel.time_s);
  });
}

/// Adds the kernels of a case, if both sides were traced and there are several.
void add_kernels(const CaseEvidence& evidence, TimesByName& times) {
  if (!are_known(evidence.baseline_kernels) || !are_known(evidence.kernels)) return;
  TimesByName found;
  for (const KernelTime& kernel : evidence.baseline_kernels)
    found[kernel.name].before += kernel.time_s;
  for (const KernelTime& kernel : evidence.kernels) found[kernel.name].after += kernel.time_s;
  if (found.size() < 2) return;
  for (const auto& [name, seconds] : found) {
    times[name].before += seconds.before;
    times[name].after += seconds.after;
  }
}

void take_largest(const char* kind, const TimesByName& times, double cost_s,
                  std::vector<MovedPart>& parts) {
  std::vector<MovedPart> moved;
  for (const auto& [name, seconds] : times)
    moved.push_back({kind, std::string(name), seconds.before, seconds.after});
  const auto size = [](const MovedPart& part) { return std::abs(part.after_s - part.before_s); };
  std::ranges::stable_sort(moved, std::ranges::greater(), size);
  const double least = kWorthTelling * std::max(cost_s, moved.empty() ? 0.0 : size(moved.front()));
  std::erase_if(moved,
                [&](const MovedPart& part) { return !(size(part) > 0) || size(part) < least; });
  if (moved.size() > kMost) moved.resize(kMost);
  std::ranges::move(moved, std::back_inserter(parts));
}

}  // namespace

PhasesByCase phases_by_case(std::span<const ShownMetric> shown) {
  PhasesByCase found;
  for (const ShownMetric& metric : shown)
    if (!phase_of(metric.metric).empty()) found[{metric.suite, metric.case_id}].push_back(&metric);
  return found;
}

std::vector<MovedPart> moved_parts(const CauseDraft& draft, const std::vector<Finding>& findings,
                                   const PhasesByCase& known_phases, double cost_s) {
  TimesByName phases, kernels;
  for (const ChangedCase& changed : draft.cases) {
    const Finding& finding = findings[changed.findings[0]];
    if (const auto known = known_phases.find({finding.suite, finding.case_id});
        known != known_phases.end())
      add_phases(known->second, phases);
    add_kernels(*changed.evidence, kernels);
  }
  std::vector<MovedPart> parts;
  take_largest("phase", phases, cost_s, parts);
  take_largest("kernel", kernels, cost_s, parts);
  return parts;
}

}  // namespace plumbline
