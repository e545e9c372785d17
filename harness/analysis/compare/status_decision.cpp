#include "analysis/compare/status_decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/run/metric.h"
#include "core/words.h"

namespace plumbline {
namespace {

std::string text_of(Status status, const std::string& reason) {
  const std::string name(name_of(status));
  return reason.empty() ? name : name + ": " + reason;
}

/// The state of a case in a run, as far as verdicts depend on it.
enum class Standing { absent, excluded, unsupported, unmeasured, failed, measured };

Standing standing_of(const CaseRows* found) {
  if (!found) return Standing::absent;
  if (is_failure(found->status)) return Standing::failed;
  if (found->measured()) return Standing::measured;
  if (found->status == Status::excluded) return Standing::excluded;
  return found->status == Status::unsupported ? Standing::unsupported : Standing::unmeasured;
}

/// True if the run tried the case, whatever the result.
bool was_tried(Standing standing) { return standing >= Standing::unmeasured; }

enum class Outcome { no_news, added, missing, broken, fixed, not_judged, by_numbers };

/// What happens to a case, by its standing in the baseline (row) and in this run (column). This is
/// the only place that says so. failed: WRONG, CRASHED, TIMEOUT or OUT_OF_MEMORY in any round.
/// measured: OK or UNVERIFIED, whatever other rounds were. unmeasured: the rest, mostly THROTTLED
/// or INTERRUPTED. Deliberately silent (no_news):
///   - nothing before and nothing now: absent, EXCLUDED and UNSUPPORTED count as the same
///   - no result before and EXCLUDED now: somebody wrote down why, and nothing is lost;
///     UNSUPPORTED is nobody's decision and is reported
/// WRONG before and UNVERIFIED now is not FIXED but not judged: nobody has checked the result. If
/// both runs tried the case and the problem's revision differs, nothing is judged.
constexpr auto kOutcomes = [] {
  using enum Outcome;
  return std::to_array<std::array<Outcome, 6>>({
      // absent, excluded, unsupported, unmeasured, failed, measured
      {no_news, no_news, no_news, not_judged, not_judged, added},       // absent
      {no_news, no_news, no_news, not_judged, not_judged, added},       // excluded
      {no_news, no_news, no_news, not_judged, not_judged, added},       // unsupported
      {missing, no_news, missing, not_judged, not_judged, not_judged},  // unmeasured
      {missing, no_news, missing, not_judged, not_judged, fixed},       // failed
      {missing, missing, missing, not_judged, broken, by_numbers},      // measured
  });
}();

Outcome outcome_of(Standing baseline, Standing candidate) {
  return kOutcomes[static_cast<std::size_t>(baseline)][static_cast<std::size_t>(candidate)];
}

std::string why_not_judged(const CaseRows* baseline, const CaseRows& candidate) {
  const Standing was = standing_of(baseline), is = standing_of(&candidate);
  if (!was_tried(was))
    return status_text(candidate) + "; the baseline has no result of it" +
           (baseline ? ": " + status_text(*baseline) : "");
  if (was == Standing::failed && is == Standing::failed)
    return baseline->status == candidate.status
               ? fmt::format("{} in both runs: {}", name_of(candidate.status), candidate.reason)
               : fmt::format("{}; {} in the baseline", status_text(candidate),
                             name_of(baseline->status));
  if (was == Standing::measured) return "no visit in this run: " + status_text(candidate);
  if (is == Standing::measured) return "no visit in the baseline: " + status_text(*baseline);
  return fmt::format("baseline {}; this run {}", status_text(*baseline), status_text(candidate));
}

/// Says that the case is missing now, and its status before if it was not measured.
std::string why_missing_now(const CaseRows& baseline, const CaseRows* candidate) {
  const std::string now = candidate ? status_text(*candidate) : "not in this run";
  return standing_of(&baseline) == Standing::measured ? now
                                                      : now + "; was " + status_text(baseline);
}

}  // namespace

std::string status_text(const CaseRows& found) { return text_of(found.status, found.reason); }
std::string status_text(const ResultRow& row) { return text_of(row.status, row.reason); }

bool is_no_news(const CaseRows* baseline, const CaseRows* candidate) {
  return outcome_of(standing_of(baseline), standing_of(candidate)) == Outcome::no_news;
}

std::optional<Decision> decide_by_status(const CaseRows* baseline, const CaseRows* candidate) {
  const Standing was = standing_of(baseline), is = standing_of(candidate);
  if (was_tried(was) && was_tried(is) && baseline->revision != candidate->revision)
    return Decision{Verdict::not_judged,
                    fmt::format("revision {} -> {}: the problem changed{}", baseline->revision,
                                candidate->revision,
                                is == Standing::failed ? "; now " + status_text(*candidate) : "")};
  switch (outcome_of(was, is)) {
    case Outcome::added:
      return Decision{Verdict::added, ""};
    case Outcome::missing:
      return Decision{Verdict::missing, why_missing_now(*baseline, candidate)};
    case Outcome::broken:
      return Decision{Verdict::broken, status_text(*candidate)};
    case Outcome::fixed:
      if (baseline->status == Status::wrong && candidate->status == Status::unverified)
        return Decision{Verdict::not_judged, fmt::format("was {}; now {}", status_text(*baseline),
                                                         status_text(*candidate))};
      return Decision{Verdict::fixed, "was " + status_text(*baseline)};
    case Outcome::not_judged:
      return Decision{Verdict::not_judged, why_not_judged(baseline, *candidate)};
    case Outcome::no_news:
    case Outcome::by_numbers:
      break;
  }
  return std::nullopt;
}

std::string why_missing(const CaseRows& side, std::string_view metric, bool is_baseline,
                        const RunInfo& candidate) {
  const char* const not_measured = is_baseline ? "not measured in the baseline" : "not measured";
  if (const auto absent = side.absent.find(metric); absent != side.absent.end())
    return fmt::format("{}: {}", not_measured, absent->second);
  const Metric* known = find_metric(metric);
  for (const ResultRow* row : side.rows)
    if (known && row->metric.empty() && row->worker.starts_with(name_of(known->profile)))
      return fmt::format("{}: {}", not_measured, status_text(*row));
  const bool is_whole = candidate.asked && !candidate.finished_at.empty();
  if (!is_baseline && is_whole && !metric.empty()) return std::string(kNotAsked);
  return fmt::format("{} not in {}", metric.empty() ? "a metric that is judged is" : "metric",
                     is_baseline ? "the baseline" : "this run");
}

namespace {

std::string lost_verification(std::span<const CaseSides> cases) {
  std::vector<const CaseRows*> lost;
  for (const auto& [baseline, candidate] : cases)
    if (baseline && candidate && baseline->status == Status::ok &&
        candidate->status == Status::unverified)
      lost.push_back(candidate);
  if (lost.empty()) return "";
  const std::string who =
      lost.size() == 1 ? fmt::format("{} is", lost[0]->case_id)
                       : fmt::format("{} and {} more are", lost[0]->case_id, lost.size() - 1);
  return fmt::format("{} measured and no longer verified ({}); OK in the baseline.", who,
                     status_text(*lost[0]));
}

std::string nothing_measured(std::span<const CaseSides> cases) {
  const auto is_measured = [](const CaseRows* side) { return side && side->measured(); };
  const bool is_any = std::ranges::any_of(cases, [&](const CaseSides& sides) {
    return is_measured(sides.baseline) || is_measured(sides.candidate);
  });
  if (is_any || cases.empty()) return "";
  const CaseRows& first = cases[0].candidate ? *cases[0].candidate : *cases[0].baseline;
  return fmt::format("Neither side measured a case. The first of {}: {} is {}.",
                     counted(cases.size(), "case"), first.case_id, status_text(first));
}

}  // namespace

std::vector<std::string> status_notes(std::span<const CaseSides> cases) {
  std::vector<std::string> notes;
  for (std::string text : {lost_verification(cases), nothing_measured(cases)})
    if (!text.empty()) notes.push_back(std::move(text));
  return notes;
}

}  // namespace plumbline
