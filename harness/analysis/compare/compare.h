/// Compares two runs: one verdict per case × metric (design, section 6).
///
/// Cases are matched by suite, id and revision of the problem, never by position. A change is
/// judged by the log means of visits. Their variance is pooled over both runs and moderated over
/// the cases of an op (Smyth 2004); it is never below that of the blocks. The difference between
/// whole runs is added. Tests are corrected in two levels (Benjamini & Bogomolov 2014). Pure: reads
/// no files; does not know suites, or how a comparison is shown. judge.h computes the numbers
/// behind a verdict.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>

#include "analysis/compare/comparison.h"
#include "analysis/history/history.h"
#include "analysis/variance/other_device.h"
#include "core/run/case.h"
#include "core/run/run.h"

namespace plumbline {

/// What suites say about single cases; empty where they say nothing.
struct CompareOptions {
  std::map<CaseKey, double> thresholds;    // slowdown that counts, as a fraction
  std::map<CaseKey, std::string> renames;  // case of the baseline -> its id today
  const History* history = nullptr;        // earlier runs: how far a case varies between runs
};

/// False for metrics that are only shown (core/run/metric.h). Unknown names, as imported results
/// have them, are judged.
bool is_judged(std::string_view metric);

/// The rule for a kind of device ("cuda", "cpu"; any other is judged like "cpu", the more cautious
/// one), if nothing else is known about the two runs.
DecisionRule default_rule(std::string_view device_kind);

/// The rule for two runs related in this way. A rule with run_sd 0 keeps it.
DecisionRule rule_between(Sameness between, std::string_view device_kind, DecisionRule rule);

/// Judges every case of either run. If the runs are not comparable (device class unknown or
/// different, or metrics with another meaning), every finding is NOT_JUDGED. Its reason names both
/// sides. Throws Error for a sample that is not finite and for a rule out of range.
Comparison compare(const Run& baseline, const Run& candidate, const DecisionRule& rule,
                   const CompareOptions& options = {});

}  // namespace plumbline
