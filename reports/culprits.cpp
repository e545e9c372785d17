#include "reports/culprits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/status.h"
#include "core/words.h"
#include "reports/cause_text.h"
#include "reports/cells.h"
#include "reports/units.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostNamed = 3;
constexpr std::size_t kLongestName = 72;  // bytes: headlines must be short

/// Values that are clear without their name: float16, backward, nhwc.
bool speaks_for_itself(const std::string& value) {
  const bool has_letter = std::ranges::any_of(
      value, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  return has_letter && value != "true" && value != "false" && value != "default";
}

bool speaks_for_itself(const AxisCondition& condition) {
  return !condition.is_except && !condition.low && !condition.high &&
         condition.values.size() == 1 && speaks_for_itself(condition.values[0]);
}

/// Cuts long names; never within a character.
std::string shortened(std::string name) {
  if (name.size() <= kLongestName) return name;
  std::size_t end = kLongestName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end) + "…";
}

void add_with(std::string& with, const std::string& text) {
  with += (with.empty() ? " with " : ", ") + text;
}

std::string backend_words(const Comparison& comparison, const std::string& op,
                          const std::string& backend) {
  const bool is_one_of_several = std::ranges::any_of(
      comparison.findings, [&](const Finding& f) { return f.op == op && f.backend != backend; });
  return is_one_of_several ? " " + backend : "";
}

std::string name_of_cause(const Comparison& comparison, const Cause& cause) {
  if (cause.trait || cause.parts.empty()) return shortened(subject_text(cause));
  const CausePart& part = cause.parts[0];
  std::string name = part.op + backend_words(comparison, part.op, part.backend), with;
  std::vector<AxisCondition> rest;
  for (const AxisCondition& condition : part.region)
    if (speaks_for_itself(condition))
      name += " " + condition.values[0];
    else if (condition.values != std::vector<std::string>{""})  // defaults are not named
      add_with(with, region_text({condition}));
  return shortened(name + with);
}

/// `gemm float16 with k=64, m=128`.
std::string name_of_finding(const Comparison& comparison, const Finding& finding) {
  const CaseName id = name_of_case(finding.case_id);
  std::string name = id.name + backend_words(comparison, finding.op, finding.backend), with;
  for (const auto& [key, value] : id.params)
    if (speaks_for_itself(value))
      name += " " + value;
    else
      add_with(with, key + "=" + value);
  return shortened(name + with);
}

Culprit culprit_of(const Comparison& comparison, const Cause& cause) {
  Culprit culprit{&cause, nullptr, name_of_cause(comparison, cause)};
  const auto change = std::ranges::find(cause.changes, cause.worst_metric, &MetricChange::metric);
  if (change != cause.changes.end()) {
    culprit.low = change->low;
    culprit.high = change->high;
  }
  return culprit;
}

/// `time`, `host_time`, or the name of another metric; without the cache state.
std::string metric_of(const Culprit& culprit) {
  if (culprit.cause) return culprit.cause->measure;
  return culprit.finding && culprit.finding->unit != "s" ? culprit.finding->metric : "time";
}

std::string join_last(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

/// `gives wrong results`, `crashed`.
std::string what_became(std::string_view status) {
  static const std::map<std::string_view, std::string> kWords{
      {name_of(Status::wrong), "gives wrong results"},
      {name_of(Status::crashed), "crashed"},
      {name_of(Status::timeout), "timed out"},
      {name_of(Status::out_of_memory), "ran out of memory"}};
  const auto found = kWords.find(status);
  return found == kWords.end() ? "is " + std::string(status) : found->second;
}

}  // namespace

std::vector<Culprit> culprits_of(const Comparison& comparison, Verdict verdict) {
  std::vector<Culprit> culprits;
  std::map<std::size_t, std::size_t> places;  // number of a cause -> place among the culprits
  std::set<std::pair<std::string_view, std::string_view>> cases;
  for (std::size_t i = 0; i < comparison.causes.size(); ++i)
    if (comparison.causes[i].verdict == verdict) {
      places[i + 1] = culprits.size();
      culprits.push_back(culprit_of(comparison, comparison.causes[i]));
    }
  for (const Finding& finding : comparison.findings) {
    if (finding.verdict != verdict || finding.entry > 0) continue;
    if (const auto place = places.find(finding.cause); place != places.end()) {
      Culprit& culprit = culprits[place->second];
      const bool is_worst = finding.case_id == culprit.cause->worst_case &&
                            finding.suite == culprit.cause->worst_suite &&
                            finding.metric == culprit.cause->worst_metric;
      if (is_worst || culprit.finding == nullptr) culprit.finding = &finding;
    } else if (cases.emplace(finding.suite, finding.case_id).second) {
      const double change = finding.change.value_or(0);
      culprits.push_back({nullptr, &finding, name_of_finding(comparison, finding), change, change});
    }
  }
  return culprits;
}

std::string size_words(const Culprit& culprit) {
  double low = std::abs(culprit.low), high = std::abs(culprit.high);
  if (low > high) std::swap(low, high);
  constexpr double kAlike = 0.9;
  const std::string least = share_text(low), most = share_text(high);
  if (low >= kAlike * high) return most;
  const std::size_t unit = least.rfind("\u00A0%");
  return (unit == std::string::npos ? least : least.substr(0, unit)) + " to " + most;
}

std::string changed_words(const std::vector<Culprit>& culprits, std::string_view verb,
                          std::string_view how) {
  if (culprits.empty()) return "";
  const Culprit& first = culprits[0];
  std::string text = fmt::format("{} {} {} {}", first.name, verb, size_words(first), how);
  if (const std::string metric = metric_of(first); !metric.ends_with("time"))
    text = fmt::format("{} {} {} {} in {}", first.name, verb, size_words(first),
                       how == "slower" ? "worse" : "better", metric);
  std::vector<std::string> others;
  for (std::size_t i = 1; i < std::min(kMostNamed, culprits.size()); ++i)
    others.push_back(fmt::format("{} ({})", culprits[i].name, size_words(culprits[i])));
  if (culprits.size() > kMostNamed)
    others.push_back(fmt::format("{} more", culprits.size() - kMostNamed));
  if (others.empty()) return text;
  const bool is_one = others.size() == 1 && culprits.size() == 2;
  if (verb == "looks") return text + (is_one ? "; so does " : "; so do ") + join_last(others);
  return text + (is_one ? "; so is " : "; so are ") + join_last(others);
}

std::string moved_words(const std::vector<const Finding*>& cases) {
  std::vector<double> moves;
  bool is_time = true;
  for (const Finding* finding : cases)
    if (const std::optional<double> moved = moved_since_baseline(*finding)) {
      moves.push_back(*moved);
      is_time &= finding->unit == "s";
    }
  if (moves.empty()) return "";
  const double moved = median(moves);
  const char* how = is_time ? moved > 0 ? "longer" : "less" : moved > 0 ? "more" : "less";
  return fmt::format("Today the baseline’s side {} {} {} than when it was accepted ({})",
                     is_time ? "takes" : "measures", share_text(std::abs(moved)), how,
                     counted(moves.size(), "case"));
}

std::string broken_words(const std::vector<Culprit>& culprits) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostNamed, culprits.size()); ++i) {
    const Culprit& culprit = culprits[i];
    const std::string status = culprit.cause     ? culprit.cause->status
                               : culprit.finding ? culprit.finding->candidate_status
                                                 : "";
    text += (i == 0 ? "" : "; ") + culprit.name + " " + what_became(status);
  }
  if (culprits.size() > kMostNamed)
    text += fmt::format("; and {} more", culprits.size() - kMostNamed);
  return text;
}

}  // namespace plumbline
