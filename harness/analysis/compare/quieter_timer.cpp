#include "analysis/compare/quieter_timer.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace plumbline {
namespace {

constexpr std::string_view kTimers[] = {"gpu_time", "kernel_time"};

/// The metric of the other timer, of the same cache state: "" for what is read by no such timer.
std::string other_timer(std::string_view metric) {
  for (const std::string_view timer : kTimers) {
    if (!metric.starts_with(timer)) continue;
    const std::string_view other = timer == kTimers[0] ? kTimers[1] : kTimers[0];
    return std::string(other) + std::string(metric.substr(timer.size()));
  }
  return "";
}

/// For its noise alone: nothing points to a change.
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
  std::map<std::pair<std::string_view, std::string_view>, std::map<std::string_view, Finding*>>
      same;  // by case
  for (Finding& finding : comparison.findings)
    if (finding.verdict == Verdict::same)
      same[{finding.suite, finding.case_id}].emplace(finding.metric, &finding);
  for (Finding& finding : comparison.findings) {
    if (!is_open(finding)) continue;
    const auto of_case = same.find({finding.suite, finding.case_id});
    if (of_case == same.end()) continue;
    const auto quieter = of_case->second.find(other_timer(finding.metric));
    if (quieter == of_case->second.end() || !has_same_launches(evidence_of(finding))) continue;
    finding.verdict = Verdict::same;
    finding.blind.reset();
    finding.reason = fmt::format("by {}, the quieter timer, and both sides launch the same kernels",
                                 quieter->first);
  }
}

}  // namespace plumbline
