#include "analysis/causes/causes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analysis/causes/cause_draft.h"
#include "analysis/causes/moved_parts.h"
#include "analysis/causes/region.h"
#include "core/run/case.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

using enum Verdict;

/// Verdicts that have causes, in the order in which causes are listed.
constexpr std::array kExplained{broken, slower,       looks_slower, missing,
                                faster, looks_faster, fixed,        added};

std::size_t place_of(Verdict verdict) {
  return std::size_t(std::ranges::find(kExplained, verdict) - kExplained.begin());
}

std::string measure_of(const Finding& finding) {
  if (finding.unit != "s") return finding.metric;
  return finding.metric == "host_time" ? "host_time" : "time";
}

ChangeKind kind_of(const Finding& finding) {
  return {finding.verdict, finding.verdict == broken ? finding.candidate_status : "",
          is_of_time(finding.verdict) ? measure_of(finding) : ""};
}

/// The cases of one op × backend that say something about a kind of change.
struct Cell {
  std::vector<SweepPoint> points;
  std::vector<std::vector<std::size_t>> findings;  // for each point, its findings of that kind
};

/// All findings of an op × backend by case: suite and id.
using CellName = std::pair<std::string_view, std::string_view>;
using FindingsByCase = std::map<CellName, std::vector<std::size_t>>;

std::vector<std::pair<std::string, std::string>> params_of(const Finding& finding,
                                                           bool with_suite) {
  std::vector<std::pair<std::string, std::string>> params;
  for (auto& part : case_id_parts(finding.case_id))
    if (!part.first.empty()) params.push_back(std::move(part));
  if (with_suite) params.emplace_back("suite", finding.suite);
  return params;
}

Cell cell_of(const std::vector<Finding>& findings, const FindingsByCase& cases, bool many_suites,
             const ChangeKind& kind) {
  Cell cell;
  for (const auto& [name, indices] : cases) {
    std::array<std::size_t, 4> stances{};
    std::vector<std::size_t> changed;
    for (const std::size_t i : indices) {
      const Stance stance = stance_of(findings[i], kind);
      ++stances[std::size_t(stance)];
      if (stance == Stance::changed) changed.push_back(i);
    }
    const auto any = [&](Stance stance) { return stances[std::size_t(stance)] > 0; };
    if (stances[std::size_t(Stance::silent)] == indices.size()) continue;
    cell.points.push_back(
        {params_of(findings[indices[0]], many_suites), any(Stance::changed) ? Mark::changed
                                                       : any(Stance::open)  ? Mark::open
                                                                            : Mark::unchanged});
    cell.findings.push_back(std::move(changed));
  }
  return cell;
}

/// Sorts the findings of a case: largest cost first, then by metric.
void sort_by_cost(const std::vector<Finding>& all, std::vector<std::size_t>& indices) {
  const auto size = [&](std::size_t i) { return std::abs(added_by(all[i]).value_or(0)); };
  std::ranges::sort(indices, [&](std::size_t a, std::size_t b) {
    if (size(a) != size(b)) return size(a) > size(b);
    return all[a].metric < all[b].metric;
  });
}

std::vector<CauseDraft> drafts_of(const Comparison& comparison, const FindingsByCase& cases,
                                  const ChangeKind& kind, bool many_suites,
                                  const EvidenceOf& evidence_of) {
  const Cell cell = cell_of(comparison.findings, cases, many_suites, kind);
  std::vector<CauseDraft> drafts;
  for (Region& region : regions_of(cell.points)) {
    CauseDraft& draft = drafts.emplace_back();
    draft.cause.verdict = kind.verdict;
    draft.cause.status = kind.status;
    draft.cause.measure = kind.measure;
    for (const std::size_t member : region.members) {
      ChangedCase& changed = draft.cases.emplace_back();
      changed.findings = cell.findings[member];
      sort_by_cost(comparison.findings, changed.findings);
      const Finding& worst = comparison.findings[changed.findings[0]];
      changed.evidence = &evidence_of(worst);
    }
    const Finding& first = comparison.findings[draft.cases[0].findings[0]];
    draft.cause.parts.push_back({first.op, first.backend, std::move(region.conditions),
                                 region.changed, region.cases, region.open});
  }
  return drafts;
}

std::vector<MetricChange> changes_of(const CauseDraft& draft, const std::vector<Finding>& all) {
  std::map<std::string_view, std::vector<double>> changes;
  for (const ChangedCase& changed : draft.cases)
    for (const std::size_t i : changed.findings)
      if (all[i].change) changes[all[i].metric].push_back(*all[i].change);
  std::vector<MetricChange> made;
  for (const auto& [metric, values] : changes) {
    const auto [low, high] = std::ranges::minmax(values);
    made.push_back({std::string(metric), values.size(), low, median(values), high});
  }
  return made;
}

/// The finding with the largest relative change: what a reader looks at first.
const Finding* worst_of(const CauseDraft& draft, const std::vector<Finding>& all) {
  const Finding* worst = nullptr;
  const auto size = [](const Finding& f) { return std::abs(std::log1p(f.change.value_or(0))); };
  for (const ChangedCase& changed : draft.cases)
    for (const std::size_t i : changed.findings) {
      const Finding& found = all[i];
      if (worst == nullptr || size(found) > size(*worst) ||
          (size(found) == size(*worst) &&
           std::tie(found.suite, found.case_id, found.metric) <
               std::tie(worst->suite, worst->case_id, worst->metric)))
        worst = &found;
    }
  return worst;
}

void add_facts(const CauseDraft& draft, const std::vector<Finding>& all, Cause& cause) {
  std::vector<const CaseEvidence*> evidence;
  for (const ChangedCase& changed : draft.cases) {
    evidence.push_back(changed.evidence);
    const Finding& worst = all[changed.findings[0]];
    const auto& moved = worst.pairs > 0 ? worst.change : worst.raw_change;
    if (is_of_time(worst.verdict) && moved)
      cause.clock_explains += clock_explains(*changed.evidence, *moved);
  }
  cause.facts = recorded_facts(evidence);
  std::vector<std::string> backends;
  for (const CausePart& part : cause.parts) backends.push_back(part.backend);
  const CaseEvidence& first = *evidence[0];
  std::vector<RecordedFact> of_runs =
      run_facts(*first.baseline_info, *first.candidate_info, backends, cause.cases);
  std::ranges::move(of_runs, std::back_inserter(cause.facts));
}

Cause finished(CauseDraft& draft, const ChangeKind& kind, const std::vector<Finding>& all,
               const PhasesByCase& phases) {
  Cause cause = std::move(draft.cause);
  cause.cases = draft.cases.size();
  const Finding& worst = *worst_of(draft, all);
  cause.worst_suite = worst.suite;
  cause.worst_case = worst.case_id;
  cause.worst_metric = worst.metric;
  if (is_of_time(kind.verdict)) {
    cause.changes = changes_of(draft, all);
    cause.unit = worst.unit;
    for (const ChangedCase& changed : draft.cases)
      if (const auto cost = added_by(all[changed.findings[0]]))
        cause.cost = cause.cost.value_or(0) + *cost;
    if (worst.unit == "s")
      cause.moved = moved_parts(draft, all, phases, std::abs(cause.cost.value_or(0)));
  }
  if (kind.verdict != missing && kind.verdict != added) add_facts(draft, all, cause);
  return cause;
}

struct Told {
  Cause cause;
  std::vector<std::size_t> findings;
};

bool comes_first(const Told& a, const Told& b) {
  const auto place = [](const Told& t) { return place_of(t.cause.verdict); };
  if (place(a) != place(b)) return place(a) < place(b);
  const bool a_is_time = a.cause.unit == "s", b_is_time = b.cause.unit == "s";
  if (a_is_time != b_is_time) return a_is_time;
  const double x = std::abs(a.cause.cost.value_or(0)), y = std::abs(b.cause.cost.value_or(0));
  if (x != y) return x > y;
  if (a.cause.cases != b.cause.cases) return a.cause.cases > b.cause.cases;
  const auto name = [](const Cause& c) {
    return std::tie(c.parts[0].op, c.parts[0].backend, c.measure, c.status, c.worst_case,
                    c.worst_suite);
  };
  return name(a.cause) < name(b.cause);
}

}  // namespace

Stance stance_of(const Finding& finding, const ChangeKind& kind) {
  const Verdict verdict = finding.verdict;
  // Changes that the ledger excuses already have a reason.
  if (verdict == not_judged || verdict == expected || finding.entry > 0) return Stance::silent;
  if (is_of_time(kind.verdict) && measure_of(finding) != kind.measure) return Stance::silent;
  if (kind.verdict == verdict)
    return kind_of(finding) == kind ? Stance::changed : Stance::unchanged;
  // A case that only one run has tells nothing else.
  if (verdict == added || verdict == missing)
    return verdict == missing && kind.verdict == added        ? Stance::silent
           : verdict == added && kind.verdict == missing      ? Stance::silent
           : kind.verdict == added || kind.verdict == missing ? Stance::unchanged
                                                              : Stance::silent;
  const bool is_open = verdict == unresolved || verdict == looks_slower || verdict == looks_faster;
  return is_open && is_of_time(kind.verdict) ? Stance::open : Stance::unchanged;
}

void find_causes(Comparison& comparison, const EvidenceOf& evidence_of) {
  comparison.causes.clear();
  std::map<ChangeKind, std::set<CellName>> changed;
  std::set<CellName> hit;
  std::set<std::string_view> suites;
  for (Finding& finding : comparison.findings) {
    finding.cause = 0;
    suites.insert(finding.suite);
    if (place_of(finding.verdict) >= kExplained.size() || finding.entry > 0) continue;
    const CellName cell{finding.op, finding.backend};
    changed[kind_of(finding)].insert(cell);
    hit.insert(cell);
  }
  if (hit.empty()) return;
  std::map<CellName, FindingsByCase> cells;
  for (std::size_t i = 0; i < comparison.findings.size(); ++i) {
    const Finding& finding = comparison.findings[i];
    const CellName cell{finding.op, finding.backend};
    if (hit.contains(cell)) cells[cell][{finding.suite, finding.case_id}].push_back(i);
  }
  const PhasesByCase phases = phases_by_case(comparison.shown);
  std::vector<Told> told;
  for (const auto& [kind, names] : changed) {
    std::vector<CauseDraft> drafts;
    for (const CellName& name : names)
      std::ranges::move(drafts_of(comparison, cells.at(name), kind, suites.size() > 1, evidence_of),
                        std::back_inserter(drafts));
    join_over_ops(drafts, kind, comparison, evidence_of);
    for (CauseDraft& draft : drafts) {
      Told& made = told.emplace_back();
      made.cause = finished(draft, kind, comparison.findings, phases);
      for (const ChangedCase& found : draft.cases)
        made.findings.insert(made.findings.end(), found.findings.begin(), found.findings.end());
    }
  }
  std::ranges::sort(told, comes_first);
  for (Told& made : told) {
    comparison.causes.push_back(std::move(made.cause));
    for (const std::size_t i : made.findings)
      comparison.findings[i].cause = comparison.causes.size();
  }
}

namespace {

/// True if each of these facts is known and the same in all cases.
bool are_the_same(const Cause& cause, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(names, [&](std::string_view name) {
    const auto fact = std::ranges::find(cause.facts, name, &RecordedFact::name);
    return fact != cause.facts.end() && fact->changed == 0 && fact->unknown == 0;
  });
}

bool has_changed(const Cause& cause, std::string_view name) {
  return std::ranges::any_of(
      cause.facts, [&](const RecordedFact& fact) { return fact.name == name && fact.changed > 0; });
}

bool has_same_launches(const Cause& cause) {
  return are_the_same(cause, {"kernels", "grid", "block", "registers", "shared_memory"}) &&
         !has_changed(cause, "plan");
}

}  // namespace

bool runs_the_same(const Cause& cause) {
  return has_same_launches(cause) && !has_changed(cause, "code") &&
         !has_changed(cause, "machine_code") && !has_changed(cause, "local_memory");
}

bool runs_the_same_code(const Cause& cause) {
  return runs_the_same(cause) && cause.measure == "time" && !has_changed(cause, "revision") &&
         are_the_same(cause, {"machine_code", "local_memory"});
}

}  // namespace plumbline
