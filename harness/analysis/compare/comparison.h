/// The verdict object: the result of comparing two runs. store/ writes it as comparison.json,
/// reports/ shows it, and the command line takes its exit code from it.
///
/// Pure data and the words for it; compare.h computes the verdicts.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/causes/cause.h"
#include "analysis/code/code_change.h"
#include "analysis/compare/derivation.h"
#include "analysis/compare/ledger.h"
#include "analysis/compare/null_check.h"
#include "analysis/compare/run_part.h"
#include "analysis/confirm/self_check.h"
#include "analysis/estimate/distribution_change.h"
#include "analysis/variance/sensitivity.h"
#include "core/run/run.h"

namespace plumbline {

enum class Verdict {
  slower,
  faster,
  looks_slower,  // from a screen alone; nothing confirmed it (screen_alone.h)
  looks_faster,
  same,
  unresolved,
  not_judged,
  added,
  missing,
  broken,
  fixed,
  expected,  // fails as its suite expects
};

inline constexpr std::array<std::string_view, 12> kVerdictNames{
    "SLOWER",     "FASTER", "LOOKS_SLOWER", "LOOKS_FASTER", "SAME",  "UNRESOLVED",
    "NOT_JUDGED", "NEW",    "MISSING",      "BROKEN",       "FIXED", "EXPECTED"};

constexpr std::string_view name_of(Verdict verdict) {
  return kVerdictNames[static_cast<std::size_t>(verdict)];
}
std::optional<Verdict> verdict_named(std::string_view name);

/// SLOWER and FASTER, confirmed or not.
bool is_of_time(Verdict verdict);

/// The rule that was applied. Fractions: 0.02 is 2 %.
struct DecisionRule {
  // Of the intervals shown. Each end is wrong 1 % of the time, so that SAME is two one-sided tests
  // at 1 % (Schuirmann 1987): a change of exactly the margin passes as SAME one time in 100.
  double confidence = 0.98;
  double margin = 0.02;                // SAME = interval inside ± margin
  double effect_floor = 0.02;          // true change that is found nine times out of ten
  double false_discovery_rate = 0.01;  // level of the family of tests: op × backend, then within
  double run_sd = 0;    // assumed standard deviation between whole runs, of the log estimate, for a
                        // single baseline run; see default_rule()
  double run_df = 1e9;  // degrees of freedom of run_sd: how well it is known
  double shift_floor = 0.01;  // smallest shift of the run, or of a part of it, that is reported
  // Share of the time of pairs that is spent on controls: cases whose baseline side is measured
  // against itself. Without pairs, controls cost nothing and every case is one.
  double control_share = 0.1;
};

/// One case × metric. Times are in `unit` (base unit), changes are fractions: +0.039 is +3.9 %.
struct Finding {
  std::string suite, case_id, op, backend, metric, unit;
  Verdict verdict = Verdict::not_judged;
  std::string reason;  // why not judged, broken, unresolved; "" otherwise
  std::string baseline_status, candidate_status;          // "" where the case is absent
  std::optional<double> baseline, candidate;              // estimates
  std::optional<double> change, change_low, change_high;  // after removing shifts of the run
  std::optional<double> raw_change;                       // before
  std::optional<double> p_value, adjusted_p;
  std::optional<double> detectable;  // smallest change that this case would show 80 % of the time
  double threshold = 0;              // effect floor that applied to this case
  std::size_t baseline_visits = 0, candidate_visits = 0;
  bool has_history = false;        // three earlier runs show how far it varies; not stored
  bool is_on_new_machine = false;  // no run of the baseline is of this machine; not stored
  std::size_t pairs = 0, discarded_pairs = 0;  // 0: not measured in pairs
  std::size_t rerun_visits = 0;  // of a later run of the same build, in place of pairs (rerun.h)
  // The change that made pairs or a rerun necessary, a fraction; nothing: not flagged.
  std::optional<double> screened;
  std::optional<double> baseline_today;   // what the baseline's build measured in the pairs
  std::optional<double> candidate_today;  // what the candidate's build measured in the pairs
  std::vector<std::string> flags;         // of either side's measurement
  std::optional<BlindSpot> blind;         // why it would miss a change of the margin
  std::size_t cause = 0;                  // number of its cause in Comparison::causes, from 1
  std::size_t entry = 0;     // number of its excuse in Comparison::ledger, from 1; 0: it counts
  std::string renamed_from;  // its id in the baseline, if that differs
  RunPart part = RunPart::whole;                 // the part that its time moves with; not stored
  std::shared_ptr<const Derivation> derivation;  // of the screen; kept up to 10,000 tests
};

/// A metric that is shown beside the findings but not judged (core/run/metric.h).
struct ShownMetric {
  std::string suite, case_id, metric, unit;
  std::optional<double> baseline, candidate;  // estimates
  std::optional<double> change;               // before shifts are removed, a fraction; nothing
                                              // where a side is not above 0
};

/// A common movement of all cases, or of those of a part of the run: a finding of its own.
struct RunShift {
  double change = 0, change_low = 0, change_high = 0;  // fractions
  std::size_t cases = 0;                               // cases that it was estimated from
  RunPart part = RunPart::whole;
  std::size_t of_cases = 0;  // cases that were examined: the others did not move along
};

/// One entry of the environment that differs.
struct EnvironmentChange {
  std::string name, label, kind;  // kind: identity, environment, subject, harness
  std::string baseline, candidate;
};

struct Comparison {
  int format = kFormatVersion;
  std::string baseline_path, candidate_path;
  RunInfo baseline, candidate;
  DecisionRule rule;
  std::vector<EnvironmentChange> environment_changes;
  std::optional<RunShift> shift;
  std::vector<RunShift> part_shifts;     // of parts that did not move as the whole run did
  std::vector<Finding> findings;         // SLOWER and BROKEN first, then by size of the change
  std::vector<Cause> causes;             // most costly first (causes.h)
  std::vector<CodeChange> code_changes;  // of kernels of changed cases, those of the worst first
  std::vector<ShownMetric> shown;        // without effect on verdicts, counts and exit code
  std::vector<std::string> notes;        // e.g. "variance moderated: a single baseline run"
  std::optional<NullCheck> null_check;   // of the screen: whether its noise model fits this run
  std::vector<DistributionChange> distribution_changes;  // most important first; no verdicts
  std::optional<SelfMeasurement> self_check;  // false alarms and visible changes of this run itself
  bool is_ab = false;   // measured for this comparison only: neither side is proposed for accepting
  std::string refusal;  // why `accept` would not take the candidate as it is; "" = it would
  std::vector<LedgerEntry>
      ledger;  // excuses of findings: verdicts stand, the exit code ignores them

  std::size_t count(Verdict verdict) const;
  bool has_shifted() const { return shift.has_value() || !part_shifts.empty(); }
  /// "The whole run is 4 % slower than the baseline (90 cases), its memory-bound part 7 % (40
  /// cases); cases are compared with that taken off."; "" if nothing shifted.
  std::string shifts_text() const;
};

/// Cases, each counted once: by its worst finding (worst_per_case).
struct Census {
  std::array<std::size_t, kVerdictNames.size()> verdicts{};   // of cases that count
  std::array<std::size_t, kEntryKindNames.size()> excused{};  // of the others, by kind of excuse

  std::size_t of(Verdict verdict) const { return verdicts[static_cast<std::size_t>(verdict)]; }
  std::size_t of(EntryKind kind) const { return excused[static_cast<std::size_t>(kind)]; }
  std::size_t cases() const;
};
Census census_of(const Comparison& comparison);
/// The same, from the result of worst_per_case() where the caller already has it.
Census census_of(const Comparison& comparison, const std::vector<const Finding*>& worst);

/// "1 SLOWER, 4 SAME, 1 acknowledged": only kinds that occur; "" without cases.
std::string census_text(const Census& census, std::string_view between = ", ");

/// The kind of ledger entry that excuses the finding, whose verdict stands; most have none.
std::optional<EntryKind> excuse_of(const Comparison& comparison, const Finding& finding);

/// "confirmed in 12 pairs": how the finding was measured again; "" if not, or if the reason says
/// so.
std::string confirmation_text(const Finding& finding);

/// "SLOWER", or "SLOWER, acknowledged".
std::string verdict_words(const Comparison& comparison, const Finding& finding);

/// True if `a` has more evidence of a change than `b`: intervals that exclude zero first, then by p
/// value, then by size. For undecided findings: size alone would put noise first.
bool has_more_evidence(const Finding& a, const Finding& b);

/// Sorts BROKEN, then SLOWER first, then by size of the change; ties by name, to fix the order.
void sort_findings(std::vector<Finding>& findings);

/// The finding's change before shifts of the run were removed, a fraction. Nothing if the shift was
/// below 0.1 %, or if pairs or a later run decided.
std::optional<double> change_before_shift(const Finding& finding);

/// The value that the finding's change refers to: the baseline's side as measured beside the
/// candidate where pairs decided, else the baseline.
std::optional<double> changed_from(const Finding& finding);

/// The value that the finding's change leads to: the candidate as measured in the pairs where these
/// decided, else in its run.
std::optional<double> changed_to(const Finding& finding);

/// How far changed_from() is above the baseline, a fraction: the environment has moved since the
/// baseline was measured. Nothing below 1 %.
std::optional<double> moved_since_baseline(const Finding& finding);

/// How far changed_to() is above the candidate's run, a fraction. Nothing below 1 %.
std::optional<double> moved_since_run(const Finding& finding);

/// What the change adds to one launch of the case, in the finding's unit.
std::optional<double> added_by(const Finding& finding);

/// True if the case looks changed but is neither SLOWER nor FASTER: pairs or a later run did not
/// confirm it, or its interval excludes zero and it was not measured again.
bool is_unconfirmed(const Finding& finding);

/// For each case without a worse finding, its unconfirmed finding with the most evidence; most
/// evidence first. Without what the ledger excuses.
std::vector<const Finding*> unconfirmed_cases(const Comparison& comparison);

/// "a slowdown of 20 % (5 % where pairs decided)": the margins that blind cases were tested
/// against. `blind` must not be empty.
std::string blind_margins_text(const Comparison& comparison,
                               const std::vector<const Finding*>& blind);

/// For each blind case, the metric that sees least; the blindest case first.
std::vector<const Finding*> blind_cases(const Comparison& comparison);

/// The worst finding of each case, in the order of `findings`: counts and tables of cases show it.
/// Excused findings come after those that fail a gate and before the rest.
std::vector<const Finding*> worst_per_case(const Comparison& comparison);

/// The largest slowdown, a fraction, that an UNRESOLVED finding may hide: what it would not have
/// shown, and in pairs the worse end of its interval if that is more.
double hidden_slowdown(const Finding& finding);

/// Cases that were compared, and those that stayed open because of their noise: they see a change
/// of their threshold (in pairs: of the margin) less than 80 % of the time.
struct Sight {
  std::size_t cases = 0, blind = 0;
  bool is_poor() const { return 3 * blind >= cases && blind > 0; }
};
Sight sight_of(const std::vector<const Finding*>& worst, const DecisionRule& rule);

/// 1: a case is SLOWER or BROKEN. 3: something could not be judged (LOOKS_SLOWER, NOT_JUDGED,
/// MISSING, a shift, a third of the cases blind as Sight says), or nothing was compared. 0
/// otherwise. Excused findings do not count.
int exit_code(const Comparison& comparison);

}  // namespace plumbline
