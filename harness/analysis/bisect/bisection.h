/// Which of the commits between GOOD and BAD changed the time of a case: a binary search in which
/// each step is a measurement with noise.
///
/// Position 0 is GOOD, position n is BAD, position k is the code after the k-th commit. The search
/// says which two positions to measure in pairs, and gets the log ratios of these pairs. It knows
/// nothing about git, builds, cases or files. Pure.
///
/// 1. GOOD against BAD, until the total change T is known to a third of itself.
/// 2. Binary search: a middle position against GOOD, until its change is clearly above or clearly
///    below T / 2. Positions that cannot be built are left out.
/// 3. The two neighbours that remain against each other. Their change should be all of T.
/// 4. If the rule asks for it: more positions on both sides of the step.
///
/// Each of these comparisons is judged after 6, 12, 24, 48 and 96 pairs, by the interval that pairs
/// have everywhere (confirm/judge_pairs.h). There is no look at 3 pairs: with so few, one slow
/// process may hit the same side in all of them.
///
/// Error of the whole search: at most C comparisons have L looks each, and each look gets the error
/// rate / (C · L). So all intervals hold at once with a probability of at least 1 − error rate
/// (Bonferroni). If they do, and one commit made the change, no answer names another one.
/// C = 1 + ⌈log2 n⌉ + 1 + checks. Each measured position halves those that are left, so that there
/// are at most ⌈log2 n⌉ of them: 8 builds for 64 commits, with GOOD and BAD. For such searches
/// see Karp & Kleinberg, "Noisy binary search and its applications" (SODA 2007). Unlike theirs, a
/// position is measured until it is clear: a build costs more than pairs.
///
/// Limits: a middle that lies between 0 and T shows that the change has several parts. But a change
/// that was taken back and made again between measured positions is seen only if a check lands
/// there. And after a failed build the search tries the next position, so that a long row of
/// commits that cannot be built costs as many failed builds.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "stats/student_t.h"

namespace plumbline {

struct BisectRule {
  std::vector<std::size_t> looks{6, 12, 24, 48, 96};  // numbers of pairs, in rising order
  double error_rate = 0.01;                           // of the whole search
  double threshold = 0.005;                           // a smaller total change counts as none
  std::size_t checks = 0;  // positions to measure after the step is found
};

/// Pairs to measure next. They are new ones; those of before count too.
struct PairsWanted {
  std::size_t baseline = 0, candidate = 0;  // positions, baseline < candidate
  std::size_t pairs = 0;
  bool operator==(const PairsWanted&) const = default;
};

enum class BisectKind {
  one_step,     // the found commit explains the total change
  several,      // it explains clearly less, or a middle lies between: several changes or a drift
  taken_back,   // a position lies clearly outside GOOD and BAD, or on the wrong side of the step
  none,         // no change between GOOD and BAD that counts
  cannot_tell,  // not clear after the most pairs; or the search is not over yet
};

struct CommitRange {
  std::size_t first = 0, last = 0;  // positions; the same for one commit
  bool operator==(const CommitRange&) const = default;
};

/// One comparison, at the look that decided it. Logarithms of candidate / baseline.
struct MeasuredStep {
  std::size_t baseline = 0, candidate = 0, pairs = 0;
  Interval change;
};

struct BisectResult {
  BisectKind kind = BisectKind::cannot_tell;
  /// Where the change lies, as far as is known. Several commits: those between could not be built,
  /// or the search ended early. All commits if the neighbours that were found do not differ.
  /// Nothing if the total change is not known.
  std::optional<CommitRange> commits;
  std::optional<Interval> total;          // BAD over GOOD, log
  std::optional<Interval> own;            // of exactly these commits, log; if it was measured
  std::optional<Interval> share;          // own / total
  std::vector<MeasuredStep> comparisons;  // in the order of the search
};

/// The state of a search. It depends only on what was added and skipped, so that a search goes on
/// if this is stored and given again.
class Bisection {
 public:
  /// Throws Error without a commit, or if the rule is out of range.
  explicit Bisection(std::size_t commits, BisectRule rule = {});

  /// Another threshold than the rule's. Throws Error below 0.
  void set_threshold(double threshold);

  /// What to measure next; nothing if the search is over.
  std::optional<PairsWanted> next() const;

  /// Adds pairs of two positions, baseline < candidate. There may be fewer or more than were
  /// wanted. Throws Error for other positions and for ratios that are not finite.
  void add(std::size_t baseline, std::size_t candidate, std::span<const double> log_ratios);

  /// A position between GOOD and BAD cannot be measured. Pairs of it do not count any more.
  void skip(std::size_t position);

  /// What is known so far.
  BisectResult result() const;

  /// The error rate of one interval.
  double level() const { return level_; }

 private:
  class Search;
  using Positions = std::pair<std::size_t, std::size_t>;
  struct Pairs {
    std::vector<double> log_ratios;
    std::vector<Interval> looks;  // those that have enough pairs
  };

  std::size_t commits_;
  BisectRule rule_;
  double level_;
  std::map<Positions, Pairs> measured_;
  std::set<std::size_t> skipped_;
};

}  // namespace plumbline
