#include "analysis/confirm/confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/compare/judge.h"
#include "core/run/case.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

CaseKey key_of(const Finding& finding) { return {finding.suite, finding.case_id}; }

/// Why a flagged case turned out to be neither SLOWER nor FASTER.
std::string demotion(const Finding& finding) {
  if (finding.verdict != Verdict::same || !finding.screened) return finding.reason;
  std::string text =
      fmt::format("looked {} against the baseline; {} pairs of both sides: {}",
                  percent_text(*finding.screened), finding.pairs, percent_text(*finding.change));
  if (finding.baseline && finding.baseline_today && *finding.baseline > 0)
    text += fmt::format("; the baseline's side measures {} today",
                        percent_text(*finding.baseline_today / *finding.baseline - 1));
  return text;
}

/// How the baseline's side differs today from when it was accepted, or "".
std::string environment_note(const Comparison& screened, const SideCode& code) {
  std::set<CaseKey> moved;
  std::vector<double> changes;
  for (const Finding& finding : screened.findings) {
    if (!finding.screened || !finding.baseline_today || !finding.baseline ||
        !(*finding.baseline > 0) || !(*finding.baseline_today > 0))
      continue;
    if (code.not_accepted.contains(key_of(finding)) || code.refused.contains(key_of(finding)))
      continue;
    const double change = std::log(*finding.baseline_today / *finding.baseline);
    if (std::abs(change) < std::log1p(screened.rule.effect_floor)) continue;
    moved.insert(key_of(finding));
    changes.push_back(change);
  }
  if (moved.empty()) return "";
  return fmt::format(
      "The environment moved, not the commit alone: in {} of the cases that looked changed the "
      "baseline's side measures otherwise today than when it was accepted (median {}).",
      moved.size(), percent_text(std::expm1(median(changes))));
}

std::optional<double> value_of(const std::map<MetricKey, Estimate>& estimates,
                               const Finding& finding) {
  const auto found = estimates.find(metric_key(finding));
  if (found == estimates.end() || !std::isfinite(found->second.value)) return std::nullopt;
  return found->second.value;
}

}  // namespace

MetricKey metric_key(const Finding& finding) { return {key_of(finding), finding.metric}; }

std::map<MetricKey, Estimate> estimates_of(const Run& run) {
  std::map<MetricKey, Estimate> values;
  for (const CaseRows& found : rows_by_case(run))
    for (const MetricRows& rows : found.metrics)
      values[{{std::string(found.suite), std::string(found.case_id)}, std::string(rows.metric)}] =
          estimate(rows.rows);
  return values;
}

double draw(const CaseKey& key, std::uint64_t seed) {
  std::uint64_t hash = stable_hash(key.case_id, stable_hash(key.suite, seed));
  hash = (hash ^ (hash >> 31)) * 0x9e3779b97f4a7c15ULL;
  return double(hash >> 11) * 0x1p-53;
}

std::set<CaseKey> Doubts::all() const {
  std::set<CaseKey> both = flagged;
  both.insert(audited.begin(), audited.end());
  both.insert(shifted.begin(), shifted.end());
  both.insert(unaccepted.begin(), unaccepted.end());
  return both;
}

namespace {

bool is_of(const RunShift& shift, const Finding& finding) {
  const bool is_of_gpu = finding.part != RunPart::host;
  return finding.p_value && finding.unit == "s" &&
         (shift.part == finding.part || (shift.part == RunPart::whole && is_of_gpu));
}

std::vector<RunShift> told_shifts(const Comparison& screened) {
  std::vector<RunShift> shifts = screened.part_shifts;
  if (screened.shift) shifts.push_back(*screened.shift);
  return shifts;
}

/// `count` random cases of the shift; the seed determines which.
std::set<CaseKey> drawn_cases(const Comparison& screened, const RunShift& shift, std::size_t count,
                              std::uint64_t seed) {
  std::map<double, CaseKey> drawn;
  for (const Finding& finding : screened.findings)
    if (is_of(shift, finding)) drawn.emplace(draw(key_of(finding), seed), key_of(finding));
  std::set<CaseKey> chosen;
  for (const auto& [place, key] : drawn)
    if (chosen.size() < count) chosen.insert(key);
  return chosen;
}

/// Whether the shift comes from the build: how many of its drawn cases differ between the sides.
std::string shift_note(const Comparison& screened, const RunShift& shift, const Doubts& doubts) {
  std::set<CaseKey> paired, changed;
  for (const Finding& finding : screened.findings) {
    if (!is_of(shift, finding) || finding.pairs == 0 || !doubts.shifted.contains(key_of(finding)))
      continue;
    paired.insert(key_of(finding));
    if (finding.verdict == Verdict::slower || finding.verdict == Verdict::faster)
      changed.insert(key_of(finding));
  }
  if (paired.empty()) return "";
  const std::string what = shift.part == RunPart::whole
                               ? "the whole run"
                               : fmt::format("the {} part", name_of(shift.part));
  return fmt::format(
      "The shift of {} ({}) is {}: of {} of its cases, drawn at random, {} in pairs.", what,
      percent_text(shift.change), changed.empty() ? "the environment's" : "the sides'",
      paired.size(), changed.empty() ? "none differs" : fmt::format("{} differ", changed.size()));
}

}  // namespace

Doubts cases_in_doubt(const Comparison& screened, const ScreenRule& rule, std::uint64_t seed) {
  Doubts doubts;
  std::set<CaseKey> judged;
  for (const Finding& finding : screened.findings) {
    if (!finding.p_value) continue;
    judged.insert(key_of(finding));
    if (*finding.p_value <= rule.level) doubts.flagged.insert(key_of(finding));
  }
  const CaseKey* first = nullptr;
  for (const CaseKey& key : judged) {
    if (doubts.flagged.contains(key)) continue;
    if (draw(key, seed) < rule.audit_share) doubts.audited.insert(key);
    if (first == nullptr || draw(key, seed) < draw(*first, seed)) first = &key;
  }
  for (const RunShift& shift : told_shifts(screened))
    doubts.shifted.merge(drawn_cases(screened, shift, rule.shift_cases, seed));
  if (doubts.all().empty() && first != nullptr) doubts.audited.insert(*first);
  return doubts;
}

void confirm(Comparison& screened, const Doubts& doubts, const PairedTrial& trial,
             const std::array<Run, 2>& paired, const SideCode& code) {
  const std::array today{estimates_of(paired[0]), estimates_of(paired[1])};
  for (Finding& finding : screened.findings) {
    const CaseKey key = key_of(finding);
    if ((doubts.flagged.contains(key) || doubts.shifted.contains(key)) && finding.p_value)
      finding.screened = finding.raw_change;
    finding.baseline_today = value_of(today[0], finding);
    finding.candidate_today = value_of(today[1], finding);
  }
  trial.apply(screened);
  std::set<CaseKey> confirmed;
  for (Finding& finding : screened.findings) {
    finding.reason = demotion(finding);
    if (finding.screened && finding.pairs > 0 &&
        (finding.verdict == Verdict::slower || finding.verdict == Verdict::faster))
      confirmed.insert(key_of(finding));
  }
  screened.notes.push_back(fmt::format(
      "Measured again in pairs with the baseline's side: {} case{} that looked changed, {} of the "
      "others at random; confirmed: {}.",
      doubts.flagged.size(), doubts.flagged.size() == 1 ? "" : "s", doubts.audited.size(),
      confirmed.size()));
  if (!doubts.unaccepted.empty())
    screened.notes.push_back(fmt::format(
        "The baseline's side does not hold the code that was accepted: all {} case{} with code of "
        "these suites are judged in pairs, and by these alone.",
        doubts.unaccepted.size(), doubts.unaccepted.size() == 1 ? "" : "s"));
  for (const RunShift& shift : told_shifts(screened))
    if (std::string note = shift_note(screened, shift, doubts); !note.empty())
      screened.notes.push_back(std::move(note));
  if (std::string note = environment_note(screened, code); !note.empty())
    screened.notes.push_back(std::move(note));
}

}  // namespace plumbline
