/// Two runs, one verdict per case × metric (design, section 6).
///
/// Cases are matched by suite, id and revision of the problem, never by position. A change is
/// judged from the visits' log means: their variance is pooled over both runs, moderated over the
/// cases that share an op (Smyth 2004), never below what the blocks alone give, and completed by
/// what two whole runs differ by; the family of tests is held in two levels (Benjamini & Bogomolov
/// 2014). Pure: reads no files and knows neither suites nor how a comparison is shown. The numbers
/// behind a verdict are judge.h's.
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
  const History* history = nullptr;        // earlier runs: what a case varies by from run to run
};

/// False for metrics that are only shown (core/run/metric.h). Names that no table knows are judged:
/// imported results have them.
bool is_judged(std::string_view metric);

/// The rule for a kind of device ("cuda", "cpu"; any other is judged like "cpu", the more
/// cautious), for two runs with nothing else known.
DecisionRule default_rule(std::string_view device_kind);

/// The rule for two runs of that relation. One that takes whole runs to be equal stays so.
DecisionRule rule_between(Sameness between, std::string_view device_kind, DecisionRule rule);

/// Judges every case of either run. Nothing is claimed where the runs are not comparable (another
/// or an unknown device class, another meaning of the metrics): every finding is then NOT_JUDGED
/// and its reason names both sides. Throws Error for a sample that is not finite and for a rule
/// whose numbers are out of range.
Comparison compare(const Run& baseline, const Run& candidate, const DecisionRule& rule,
                   const CompareOptions& options = {});

}  // namespace plumbline
