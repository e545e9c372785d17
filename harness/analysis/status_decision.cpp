#include "analysis/status_decision.h"

#include <fmt/format.h>

#include "core/metric.h"

namespace plumbline {
namespace {

std::string text_of(Status status, const std::string& reason) {
  const std::string name(name_of(status));
  return reason.empty() ? name : name + ": " + reason;
}

}  // namespace

bool set_aside(const CaseRows* found) {
  return !found || (!found->measured() &&
                    (found->status == Status::unsupported || found->status == Status::excluded));
}

std::string status_text(const CaseRows& found) { return text_of(found.status, found.reason); }
std::string status_text(const ResultRow& row) { return text_of(row.status, row.reason); }

std::optional<Decision> decide_by_status(const CaseRows* baseline, const CaseRows* candidate) {
  if (set_aside(baseline)) {
    if (candidate->measured() && !is_failure(candidate->status))
      return Decision{Verdict::added, ""};
    return Decision{Verdict::not_judged,
                    status_text(*candidate) + "; the baseline has no result of it"};
  }
  if (set_aside(candidate))
    return Decision{Verdict::missing, candidate ? status_text(*candidate) : "not in this run"};
  if (baseline->revision != candidate->revision)
    return Decision{
        Verdict::not_judged,
        fmt::format("revision {} -> {}: the problem changed{}", baseline->revision,
                    candidate->revision,
                    is_failure(candidate->status) ? "; now " + status_text(*candidate) : "")};
  const bool was_broken = is_failure(baseline->status), is_broken = is_failure(candidate->status);
  if (was_broken && is_broken)
    return Decision{
        Verdict::not_judged,
        baseline->status == candidate->status
            ? fmt::format("{} in both runs: {}", name_of(candidate->status), candidate->reason)
            : fmt::format("{}; {} in the baseline", status_text(*candidate),
                          name_of(baseline->status))};
  if (is_broken && baseline->measured()) return Decision{Verdict::broken, status_text(*candidate)};
  if (was_broken && candidate->measured())
    return Decision{Verdict::fixed, "was " + status_text(*baseline)};
  if (is_broken || was_broken || (!baseline->measured() && !candidate->measured()))
    return Decision{
        Verdict::not_judged,
        fmt::format("baseline {}; this run {}", status_text(*baseline), status_text(*candidate))};
  return std::nullopt;
}

std::string why_missing(const CaseRows& side, std::string_view metric, bool is_baseline) {
  const char* const not_measured = is_baseline ? "not measured in the baseline" : "not measured";
  if (const auto absent = side.absent.find(metric); absent != side.absent.end())
    return fmt::format("{}: {}", not_measured, absent->second);
  const Metric* known = find_metric(metric);
  for (const ResultRow* row : side.rows)
    if (known && row->metric.empty() && row->worker.starts_with(name_of(known->profile)))
      return fmt::format("{}: {}", not_measured, status_text(*row));
  return fmt::format("{} not in {}", metric.empty() ? "a metric that is judged is" : "metric",
                     is_baseline ? "the baseline" : "this run");
}

}  // namespace plumbline
