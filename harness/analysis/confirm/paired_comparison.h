/// The verdict object of two builds that were measured in pairs.
///
/// If statuses and coverage alone decide a case, this works as for any two runs (compare.h); where
/// both builds have times, the pairs decide (judge_pairs.h). There is no shift of the whole run
/// here: what moves both sides cancels in each pair, and the rest belongs to the builds. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/confirm/judge_pairs.h"

namespace plumbline {

/// Which cases are still open, look by look, and the judgements of the others.
class PairedTrial {
 public:
  /// `thresholds`: smallest change that counts, for cases with a threshold of their own.
  /// `bystanders`: cases for which alone nothing more is measured, unless they seem to change.
  /// Throws Error for a rule that is out of range.
  PairedTrial(PairedRule rule, std::map<CaseKey, double> thresholds,
              std::set<CaseKey> bystanders = {});

  const PairedRule& rule() const { return rule_; }

  /// Judges the open cases by all pairs so far. `look` starts at 0 and rises by one each time. Runs
  /// must have the same cases as before, and more rounds.
  void look_at(const Run& a, const Run& b, std::size_t look);

  /// True if a metric of the case may still change its verdict.
  bool is_open(const CaseKey& key) const { return looks_ == 0 || open_.contains(key); }
  bool is_done() const { return looks_ == rule_.looks.size() || (looks_ > 0 && open_.empty()); }

  /// The smallest change that counts in a case, a fraction.
  double floor_of(const CaseKey& key) const;

  /// For each case that has pairs: whether one of its metrics is SLOWER or FASTER.
  std::map<CaseKey, bool> outcomes() const;

  /// For cases that were measured in pairs, replaces the result of the two runs by that of the
  /// pairs: verdict, change, interval, p values, detectable change. `raw_change` stays. Bystanders
  /// that the pairs did not decide keep the result of the two runs.
  void apply(Comparison& screened) const;

  /// The comparison of the two sides. `a` and `b` must be the runs of the last look_at().
  Comparison comparison(const Run& a, const Run& b, const CompareOptions& options) const;

 private:
  struct Judged {
    PairedJudgement judgement;
    std::size_t discarded = 0;
    double floor = 0;
  };
  using SeriesName = std::pair<CaseKey, std::string>;  // case and metric

  PairedRule rule_;
  /// Whether the series is of a bystander that the pairs left undecided and that does not seem to
  /// change.
  bool is_idle(const CaseKey& key, const PairedJudgement& judgement) const;

  std::map<CaseKey, double> thresholds_;
  std::set<CaseKey> bystanders_;
  std::map<SeriesName, Judged> judged_;
  std::set<CaseKey> open_;
  std::size_t looks_ = 0;
};

}  // namespace plumbline
