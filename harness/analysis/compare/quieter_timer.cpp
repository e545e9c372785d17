#include "analysis/compare/quieter_timer.h"

#include <fmt/format.h>

#include <compare>
#include <map>
#include <optional>
#include <string_view>

namespace plumbline {
namespace {

constexpr std::string_view kEvents = "gpu_time", kTrace = "kernel_time";

/// What one of the two timers measured of a case in one cache state.
struct Reading {
  std::string_view suite, case_id, cache;  // "_cold"
  bool is_by_events = false;

  auto operator<=>(const Reading&) const = default;
};

std::optional<Reading> reading_of(const Finding& finding) {
  const std::string_view metric = finding.metric;
  const bool is_by_events = metric.starts_with(kEvents);
  if (!is_by_events && !metric.starts_with(kTrace)) return std::nullopt;
  return Reading{finding.suite, finding.case_id,
                 metric.substr(is_by_events ? kEvents.size() : kTrace.size()), is_by_events};
}

/// Undecided only because of noise: nothing points to a change.
bool is_open(const Finding& finding) {
  return finding.verdict == Verdict::unresolved && finding.pairs == 0 &&
         finding.change_low.value_or(1) <= 0 && finding.change_high.value_or(-1) >= 0;
}

bool has_same_launches(const CaseEvidence& evidence) {
  for (const Aspect aspect : {Aspect::kernels, Aspect::grid, Aspect::block}) {
    const auto& before = evidence.baseline[std::size_t(aspect)];
    const auto& now = evidence.candidate[std::size_t(aspect)];
    if (!before || !now || before->text != now->text) return false;
  }
  return true;
}

}  // namespace

void follow_quieter_timer(Comparison& comparison, const EvidenceOf& evidence_of) {
  std::map<Reading, Finding*> open;
  for (Finding& finding : comparison.findings)
    if (is_open(finding))
      if (const auto reading = reading_of(finding)) open.emplace(*reading, &finding);
  if (open.empty()) return;
  for (const Finding& quieter : comparison.findings) {
    if (quieter.verdict != Verdict::same || !quieter.reason.empty()) continue;
    auto reading = reading_of(quieter);
    if (!reading) continue;
    reading->is_by_events = !reading->is_by_events;
    const auto found = open.find(*reading);
    if (found == open.end() || !has_same_launches(evidence_of(*found->second))) continue;
    Finding& settled = *found->second;
    settled.verdict = Verdict::same;
    settled.blind.reset();
    settled.reason = fmt::format("by {}, the quieter timer, and both sides launch the same kernels",
                                 quieter.metric);
  }
}

}  // namespace plumbline
