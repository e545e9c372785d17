#include "analysis/confirm/screen_alone.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "analysis/compare/judge.h"

namespace plumbline {
namespace {

bool is_confirmed(const Comparison& comparison, const Finding& finding) {
  if (finding.pairs > 0 || finding.rerun_visits > 0) return true;
  return finding.has_history && comparison.null_check && fits(*comparison.null_check);
}

Verdict held(Verdict verdict) {
  return verdict == Verdict::slower ? Verdict::looks_slower : Verdict::looks_faster;
}

std::string why(const Comparison& comparison, const Finding& finding) {
  if (std::string confirmed = confirmation_text(finding); !confirmed.empty()) return confirmed;
  const bool is_held =
      finding.verdict == Verdict::looks_slower || finding.verdict == Verdict::looks_faster;
  if (is_held && finding.has_history && !comparison.null_check)
    return fmt::format(
        "not confirmed: fewer than {} cases do not show whether this run scatters as its history "
        "says",
        kNullCheckCases);
  if (is_held && finding.has_history)
    return "not confirmed: this run scatters more than its history says";
  if (is_held && finding.is_on_new_machine)
    return "not confirmed: single cards differ in some cases, and this one is new";
  if (is_held) return "not confirmed: two runs alone";
  return finding.has_history ? "more than its earlier runs differ"
                             : "not confirmed: two runs alone (--trust-screen)";
}

}  // namespace

void say_why(Comparison& comparison) {
  for (Finding& finding : comparison.findings)
    if (is_of_time(finding.verdict) && finding.reason.empty())
      finding.reason = why(comparison, finding);
}

void hold_screen(Comparison& comparison) {
  std::set<std::pair<std::string_view, std::string_view>> cases;
  bool have_history = true;
  for (Finding& finding : comparison.findings) {
    if (finding.verdict != Verdict::slower && finding.verdict != Verdict::faster) continue;
    if (is_confirmed(comparison, finding)) continue;
    finding.verdict = held(finding.verdict);
    cases.insert({finding.suite, finding.case_id});
    have_history = have_history && finding.has_history;
  }
  if (cases.empty()) return;
  comparison.notes.push_back(fmt::format(
      "{} {} changed, but {} cannot confirm it: either may have had a bad night. "
      "Measure both sides in pairs (`check --baseline-ref`, `--baseline-tree`, `ab`), {}"
      "measure again (`check --rerun`){}. `--trust-screen` calls such a case SLOWER or FASTER all "
      "the same.",
      cases.size(), cases.size() == 1 ? "case looks" : "cases look",
      have_history ? "these two runs, even with their history," : "two runs alone",
      have_history ? "or " : "",
      have_history ? "" : ", or compare with three earlier runs (`--history`)"));
  sort_findings(comparison.findings);
}

}  // namespace plumbline
