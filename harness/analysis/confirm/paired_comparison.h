/// The verdict object of two builds that were measured in pairs.
///
/// What statuses and coverage alone decide is decided as for any two runs (compare.h); where both
/// builds have times, the pairs decide (judge_pairs.h). A shift of the whole run is none here: what
/// moves both sides cancels in each pair, and what is left belongs to the builds. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/confirm/judge_pairs.h"

namespace plumbline {

/// Which cases are still open, look by look, and what was said of those that are not.
class PairedTrial {
 public:
  /// `thresholds`: smallest change that counts, of cases that have one of their own.
  /// Throws Error for a rule that is out of range.
  PairedTrial(PairedRule rule, std::map<CaseKey, double> thresholds);

  const PairedRule& rule() const { return rule_; }

  /// Judges what is open by all pairs so far. `look` counts from 0 and rises by one each time.
  /// Runs must have the same cases as before, and more rounds.
  void look_at(const Run& a, const Run& b, std::size_t look);

  /// Whether a metric of the case may still change its verdict.
  bool is_open(const CaseKey& key) const { return looks_ == 0 || open_.contains(key); }
  bool is_done() const { return looks_ == rule_.looks.size() || (looks_ > 0 && open_.empty()); }

  /// The smallest change that counts in a case, a fraction.
  double floor_of(const CaseKey& key) const;

  /// Of each case that has pairs: whether a metric of it is SLOWER or FASTER.
  std::map<CaseKey, bool> outcomes() const;

  /// Overwrites what two runs alone say of the cases that were measured in pairs by what the pairs
  /// say: verdict, change, interval, p values, detectable change. `raw_change` stays.
  void apply(Comparison& screened) const;

  /// The comparison of the two sides. `a` and `b` are those that were looked at last.
  Comparison comparison(const Run& a, const Run& b, const CompareOptions& options) const;

 private:
  struct Judged {
    PairedJudgement judgement;
    std::size_t discarded = 0;
    double floor = 0;
  };
  using SeriesName = std::pair<CaseKey, std::string>;  // and the metric

  PairedRule rule_;
  std::map<CaseKey, double> thresholds_;
  std::map<SeriesName, Judged> judged_;
  std::set<CaseKey> open_;
  std::size_t looks_ = 0;
};

}  // namespace plumbline
