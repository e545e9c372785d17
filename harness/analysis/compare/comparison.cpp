#include "analysis/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analysis/compare/judge.h"
#include "core/run/metric.h"

namespace plumbline {
namespace {

/// Which metric decides the verdict of its case: the most alarming one; undecided before decided. A
/// new metric says nothing about a case that the baseline knows.
constexpr std::array kWorstFirst{Verdict::broken,     Verdict::slower,     Verdict::looks_slower,
                                 Verdict::missing,    Verdict::not_judged, Verdict::expected,
                                 Verdict::unresolved, Verdict::fixed,      Verdict::looks_faster,
                                 Verdict::faster,     Verdict::same,       Verdict::added};
static_assert(kWorstFirst.size() == kVerdictNames.size());

constexpr std::size_t kGateStops = 5;  // the first of them give an exit code other than 0

std::size_t rank(const Finding& finding) {
  const auto place = static_cast<std::size_t>(std::ranges::find(kWorstFirst, finding.verdict) -
                                              kWorstFirst.begin());
  if (finding.entry > 0) return kGateStops + place;
  return place < kGateStops ? place : place + kWorstFirst.size();
}

/// Cases that the comparison says something about. Quarantined cases do not count.
std::size_t compared(const Census& census) {
  std::size_t sum = census.of(EntryKind::acknowledged);
  using enum Verdict;
  for (const Verdict verdict :
       {slower, faster, looks_slower, looks_faster, same, unresolved, broken, fixed})
    sum += census.of(verdict);
  return sum;
}

/// "3.1 % slower than the baseline"; only the first shift of a sentence names the baseline.
std::string movement_text(const RunShift& shift, bool is_first) {
  if (shift.change_low <= 0 && shift.change_high >= 0) return "did not move";
  return fmt::format("{}{} {}{}", is_first ? "is " : "",
                     percent_text(std::abs(shift.change), false),
                     shift.change > 0 ? "slower" : "faster", is_first ? " than the baseline" : "");
}

}  // namespace

std::string Comparison::shifts_text() const {
  std::string text;
  const auto add = [&](const RunShift& moved) {
    const bool is_first = text.empty();
    const std::string of = moved.of_cases > 0 ? fmt::format(" of {}", moved.of_cases) : "";
    text += fmt::format("{}{} {}{} {} ({}{} cases)",
                        is_first ? "The "
                        : shift  ? ", its "
                                 : ", the ",
                        name_of(moved.part), moved.part == RunPart::whole ? "run" : "part",
                        is_first && moved.part != RunPart::whole ? " of the run" : "",
                        movement_text(moved, is_first), moved.cases, of);
  };
  if (shift) add(*shift);
  for (const RunShift& part : part_shifts) add(part);
  return text.empty() ? "" : text + "; this is removed before cases are compared.";
}

std::optional<Verdict> verdict_named(std::string_view name) {
  const auto found = std::ranges::find(kVerdictNames, name);
  if (found == kVerdictNames.end()) return std::nullopt;
  return static_cast<Verdict>(found - kVerdictNames.begin());
}

bool is_of_time(Verdict verdict) {
  using enum Verdict;
  return verdict == slower || verdict == faster || verdict == looks_slower ||
         verdict == looks_faster;
}

std::size_t Comparison::count(Verdict verdict) const { return census_of(*this).of(verdict); }

std::size_t Census::cases() const {
  return std::accumulate(verdicts.begin(), verdicts.end(), std::size_t{0}) +
         std::accumulate(excused.begin(), excused.end(), std::size_t{0});
}

Census census_of(const Comparison& comparison) {
  return census_of(comparison, worst_per_case(comparison));
}

Census census_of(const Comparison& comparison, const std::vector<const Finding*>& cases) {
  Census census;
  for (const Finding* finding : cases)
    if (const auto excuse = excuse_of(comparison, *finding))
      ++census.excused[static_cast<std::size_t>(*excuse)];
    else
      ++census.verdicts[static_cast<std::size_t>(finding->verdict)];
  return census;
}

std::string census_text(const Census& census, std::string_view between) {
  std::string text;
  const auto add = [&](std::size_t count, std::string_view name) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : between, count, name);
  };
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i) add(census.verdicts[i], kVerdictNames[i]);
  for (std::size_t i = 0; i < kEntryKindNames.size(); ++i)
    add(census.excused[i], kEntryKindNames[i]);
  return text;
}

std::optional<EntryKind> excuse_of(const Comparison& comparison, const Finding& finding) {
  if (finding.entry == 0) return std::nullopt;
  return comparison.ledger.at(finding.entry - 1).kind;
}

std::string confirmation_text(const Finding& finding) {
  const std::string text =
      finding.pairs > 0 ? fmt::format("confirmed in {} pairs", finding.pairs)
      : finding.rerun_visits > 0
          ? fmt::format("seen again in {} visits of a later run, which is weaker than pairs",
                        finding.rerun_visits)
          : "";
  return finding.reason == text ? "" : text;
}

std::string verdict_words(const Comparison& comparison, const Finding& finding) {
  std::string words(name_of(finding.verdict));
  if (const auto excuse = excuse_of(comparison, finding))
    words.append(", ").append(name_of(*excuse));
  return words;
}

namespace {

/// SAME because of another timer (quieter_timer.h); its own interval does not show it.
bool is_same_by_another(const Finding& finding, double margin) {
  return finding.verdict == Verdict::same && finding.pairs == 0 &&
         (finding.change_high.value_or(0) >= margin ||
          finding.change_low.value_or(0) <= -margin / (1 + margin));
}

}  // namespace

std::vector<const Finding*> worst_per_case(const Comparison& comparison) {
  const double margin = comparison.rule.margin;
  const std::vector<Finding>& findings = comparison.findings;
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, std::size_t>> numbers;
  std::vector<const Finding*> worst;  // by the number of the case
  std::vector<std::size_t> case_of;   // of each finding
  case_of.reserve(findings.size());
  for (const Finding& finding : findings) {
    const std::size_t number =
        numbers[finding.suite].try_emplace(finding.case_id, worst.size()).first->second;
    case_of.push_back(number);
    if (number == worst.size())
      worst.push_back(&finding);
    else if (const Finding& kept = *worst[number];
             rank(finding) < rank(kept) ||
             (rank(finding) == rank(kept) && is_same_by_another(kept, margin) &&
              !is_same_by_another(finding, margin)))
      worst[number] = &finding;
  }
  std::vector<const Finding*> cases;
  cases.reserve(worst.size());
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (worst[case_of[i]] == &findings[i]) cases.push_back(&findings[i]);
  return cases;
}

std::optional<double> change_before_shift(const Finding& finding) {
  constexpr double kSeen = 1e-3;  // smaller differences look equal
  if (!finding.raw_change || !finding.change || finding.pairs > 0 || finding.rerun_visits > 0)
    return std::nullopt;
  if (std::abs(*finding.raw_change - *finding.change) <= kSeen) return std::nullopt;
  return finding.raw_change;
}

std::optional<double> changed_from(const Finding& finding) {
  return finding.pairs > 0 && finding.baseline_today ? finding.baseline_today : finding.baseline;
}

std::optional<double> changed_to(const Finding& finding) {
  return finding.pairs > 0 && finding.candidate_today ? finding.candidate_today : finding.candidate;
}

namespace {

/// How far `now` is above `then`, a fraction. Nothing below 1 %.
std::optional<double> moved(const std::optional<double>& then, const std::optional<double>& now) {
  constexpr double kSeen = 0.01;
  if (!now || !then || !(*then > 0)) return std::nullopt;
  const double change = *now / *then - 1;
  return std::abs(change) < kSeen ? std::nullopt : std::optional(change);
}

}  // namespace

std::optional<double> moved_since_baseline(const Finding& finding) {
  return moved(finding.baseline, changed_from(finding));
}

std::optional<double> moved_since_run(const Finding& finding) {
  return moved(finding.candidate, changed_to(finding));
}

std::optional<double> added_by(const Finding& finding) {
  const std::optional<double> from = changed_from(finding);
  if (!from || !finding.change) return std::nullopt;
  return *from * *finding.change;
}

namespace {

bool leaves_zero_out(const Finding& finding) {
  return finding.change_low && finding.change_high &&
         (*finding.change_low > 0 || *finding.change_high < 0);
}

}  // namespace

bool is_unconfirmed(const Finding& finding) {
  if (finding.verdict != Verdict::same && finding.verdict != Verdict::unresolved) return false;
  if (finding.pairs > 0 || finding.rerun_visits > 0) return finding.screened.has_value();
  return finding.verdict == Verdict::unresolved && leaves_zero_out(finding);
}

bool has_more_evidence(const Finding& a, const Finding& b) {
  const auto key = [](const Finding& f) {
    return std::tuple(!leaves_zero_out(f), f.p_value.value_or(1),
                      f.change ? -std::abs(std::log1p(*f.change)) : 0);
  };
  return key(a) < key(b);
}

std::vector<const Finding*> unconfirmed_cases(const Comparison& comparison) {
  std::map<std::pair<std::string_view, std::string_view>, const Finding*> most;
  for (const Finding& finding : comparison.findings) {
    if (finding.entry > 0 || !is_unconfirmed(finding)) continue;
    const Finding*& kept = most[{finding.suite, finding.case_id}];
    if (!kept || has_more_evidence(finding, *kept)) kept = &finding;
  }
  if (most.empty()) return {};
  for (const Finding& finding : comparison.findings) {
    if (finding.verdict == Verdict::same || finding.verdict == Verdict::added) continue;
    const auto kept = most.find({finding.suite, finding.case_id});
    if (kept != most.end() && rank(finding) < rank(*kept->second)) most.erase(kept);
  }
  std::vector<const Finding*> cases;
  for (const auto& [key, finding] : most) cases.push_back(finding);
  std::ranges::stable_sort(
      cases, [](const Finding* a, const Finding* b) { return has_more_evidence(*a, *b); });
  return cases;
}

std::string blind_margins_text(const Comparison& comparison,
                               const std::vector<const Finding*>& blind) {
  std::optional<double> of_screen, of_pairs;
  for (const Finding* finding : blind) {
    const double margin = finding->blind->margin;  // 0: an older version did not record it
    (finding->pairs > 0 ? of_pairs : of_screen) = margin > 0 ? margin : comparison.rule.margin;
  }
  const auto percent = [](double margin) { return fmt::format("{:.3g} %", 100 * margin); };
  if (of_screen && of_pairs && *of_screen != *of_pairs)
    return fmt::format("a slowdown of {} ({} where pairs decided)", percent(*of_screen),
                       percent(*of_pairs));
  return "a slowdown of " + percent(of_screen ? *of_screen : of_pairs.value_or(0));
}

std::vector<const Finding*> blind_cases(const Comparison& comparison) {
  std::vector<const Finding*> blind;
  for (const Finding& finding : comparison.findings)
    if (finding.blind) blind.push_back(&finding);
  const auto name = [](const Finding* f) { return std::tie(f->suite, f->case_id, f->metric); };
  std::ranges::sort(blind, [&](const Finding* a, const Finding* b) {
    if (a->blind->detectable != b->blind->detectable)
      return a->blind->detectable > b->blind->detectable;
    return name(a) < name(b);
  });
  std::set<std::pair<std::string_view, std::string_view>> seen;
  std::erase_if(blind, [&](const Finding* f) {
    return !seen.insert({f->suite, f->case_id}).second;
  });
  return blind;
}

void sort_findings(std::vector<Finding>& findings) {
  const auto alarm = [](const Finding& f) {
    if (f.entry > 0) return 2;
    return f.verdict == Verdict::broken                                         ? 0
           : f.verdict == Verdict::slower || f.verdict == Verdict::looks_slower ? 1
                                                                                : 2;
  };
  const auto size = [](const Finding& f) {
    return f.change ? std::abs(std::log1p(*f.change)) : -1;
  };
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t i, std::size_t j) {
    const Finding &a = findings[i], &b = findings[j];
    if (alarm(a) != alarm(b)) return alarm(a) < alarm(b);
    if (size(a) != size(b)) return size(a) > size(b);
    return std::tie(a.suite, a.case_id, a.metric) < std::tie(b.suite, b.case_id, b.metric);
  });
  std::vector<Finding> sorted;
  sorted.reserve(findings.size());
  for (const std::size_t i : order) sorted.push_back(std::move(findings[i]));
  findings = std::move(sorted);
}

namespace {

/// True if a case stayed open because of its noise. Two kinds do not count: a case that is within
/// the margin apart from a shift of the run, and one with equal numbers (a run against itself).
bool could_not_show(const Finding& finding, const DecisionRule& rule) {
  if (finding.raw_change == 0.0) return false;
  const bool is_same = finding.change_low.value_or(-1) > -rule.margin / (1 + rule.margin) &&
                       finding.change_high.value_or(1) < rule.margin;
  return !is_same && finding.detectable.value_or(0) > finding.threshold;
}

}  // namespace

double hidden_slowdown(const Finding& finding) {
  const double unseen = finding.detectable.value_or(0);
  if (finding.pairs == 0) return unseen;
  const Metric* const metric = find_metric(finding.metric);
  const bool is_more_better = metric != nullptr && metric->is_more_better;
  return std::max(
      unseen, is_more_better ? -finding.change_low.value_or(0) : finding.change_high.value_or(0));
}

Sight sight_of(const std::vector<const Finding*>& worst, const DecisionRule& rule) {
  Sight sight;
  for (const Finding* finding : worst) {
    if (!finding->p_value || finding->entry > 0) continue;
    ++sight.cases;
    if (finding->verdict != Verdict::unresolved) continue;
    // Pairs test much smaller changes than a screen: one as large as the margin counts here.
    const bool is_blind =
        finding->pairs > 0 ? finding->blind.has_value() : could_not_show(*finding, rule);
    sight.blind += is_blind ? 1 : 0;
  }
  return sight;
}

int exit_code(const Comparison& comparison) {
  const std::vector<const Finding*> cases = worst_per_case(comparison);
  const Census census = census_of(comparison, cases);
  const auto any = [&](Verdict verdict) { return census.of(verdict) > 0; };
  if (any(Verdict::slower) || any(Verdict::broken)) return 1;
  // A case shows its worst metric: only SLOWER and BROKEN hide these, and they returned above.
  if (any(Verdict::looks_slower) || any(Verdict::not_judged) || any(Verdict::missing) ||
      comparison.has_shifted() || sight_of(cases, comparison.rule).is_poor())
    return 3;
  return compared(census) == 0 ? 3 : 0;
}

}  // namespace plumbline
