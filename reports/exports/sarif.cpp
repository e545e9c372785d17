#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/run/case.h"
#include "core/visible.h"
#include "reports/exports/exports.h"
#include "reports/exports/findings_text.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

/// The SARIF rule of a verdict that becomes a result.
struct Rule {
  Verdict verdict;
  const char* level;
  const char* text;
};
constexpr std::array<Rule, 9> kRules{{
    {Verdict::slower, "error", "The case got slower than its baseline."},
    {Verdict::broken, "error", "The case worked in the baseline and does not any more."},
    {Verdict::looks_slower, "warning",
     "The case looks slower than its baseline; nothing confirmed it."},
    {Verdict::missing, "warning", "The baseline holds the case and this run does not."},
    {Verdict::not_judged, "warning", "The case could not be compared."},
    {Verdict::faster, "note", "The case got faster than its baseline."},
    {Verdict::looks_faster, "note",
     "The case looks faster than its baseline; nothing confirmed it."},
    {Verdict::fixed, "note", "The case did not work in the baseline and does now."},
    {Verdict::expected, "note", "The case does not work, as its suite says."},
}};

constexpr const char* kShift = "SHIFT";  // the rule after those

const Rule* rule_of(Verdict verdict) {
  const auto found = std::ranges::find(kRules, verdict, &Rule::verdict);
  return found == kRules.end() ? nullptr : &*found;
}

Json rules() {
  Json list = Json::array();
  for (const Rule& rule : kRules)
    list.push_back({{"id", name_of(rule.verdict)},
                    {"shortDescription", {{"text", rule.text}}},
                    {"defaultConfiguration", {{"level", rule.level}}}});
  list.push_back({{"id", kShift},
                  {"shortDescription", {{"text", "The run, or a part of it, moved as a whole."}}},
                  {"defaultConfiguration", {{"level", "warning"}}}});
  return list;
}

std::string file_of(const Comparison& comparison, const std::string& suite) {
  for (const RunInfo* info : {&comparison.candidate, &comparison.baseline})
    for (const SuiteRef& ref : info->suites)
      if (ref.name == suite) return ref.path;
  return suite + ".yaml";
}

Json locations(const SourcePlace& source) {
  Json region = {{"startLine", source.line}};
  if (source.end_line > source.line) region["endLine"] = source.end_line;
  const Json place = {{"artifactLocation", {{"uri", percent_encoded(source.file)}}},
                      {"region", region}};
  return Json::array({{{"physicalLocation", place}}});
}

Json shift_result(const Comparison& comparison) {
  const auto& suites = comparison.candidate.suites;
  return {{"ruleId", kShift},
          {"ruleIndex", kRules.size()},
          {"level", "warning"},
          {"message", {{"text", visible(comparison.shifts_text())}}},
          {"locations", locations({suites.empty() ? "plumbline.yaml" : suites.front().path})},
          {"partialFingerprints", {{"plumbline/v1", stable_hash_text(kShift)}}}};
}

Json result_of(const Comparison& comparison, const Finding& finding, const Rule& rule,
               const SourcePlaces& places) {
  const auto known = places.find({finding.suite, finding.case_id});
  const SourcePlace place =
      known == places.end() ? SourcePlace{file_of(comparison, finding.suite)} : known->second;
  std::string text = verdict_words(comparison, finding) + " " + finding.case_id;
  if (!finding.metric.empty()) text += " [" + finding.metric + "]";
  if (const std::string numbers = numbers_of(finding); !numbers.empty()) text += ": " + numbers;
  if (const std::string why = why_of(finding); !why.empty()) text += " (" + why + ")";
  if (finding.blind) text += "; " + blind_text(*finding.blind);
  if (const std::string cause = cause_of(comparison, finding); !cause.empty()) text += "; " + cause;
  Json result = {{"ruleId", name_of(rule.verdict)},
                 {"ruleIndex", &rule - kRules.data()},
                 {"level", rule.level},
                 {"message", {{"text", visible(text)}}},
                 {"locations", locations(place)},
                 {"partialFingerprints",
                  {{"plumbline/v1", stable_hash_text(finding.suite + '\n' + finding.case_id + '\n' +
                                                     finding.metric)}}}};
  if (finding.entry > 0)
    result["suppressions"] =
        Json::array({{{"kind", "external"},
                      {"justification", visible(comparison.ledger.at(finding.entry - 1).reason)}}});
  return result;
}

/// The self-check, tails and modes: notifications of the run instead of results.
Json notifications(const Comparison& comparison) {
  Json list = Json::array();
  const auto add = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines)
      list.push_back({{"level", "note"}, {"message", {{"text", visible(line)}}}});
  };
  add(own_measure_lines(comparison));
  add(distribution_lines(comparison.distribution_changes));
  return list;
}

}  // namespace

std::string sarif_text(const Comparison& comparison, const SourcePlaces& places) {
  Json results = Json::array();
  if (comparison.has_shifted()) results.push_back(shift_result(comparison));
  for (const Finding& finding : comparison.findings)
    if (const Rule* rule = rule_of(finding.verdict))
      results.push_back(result_of(comparison, finding, *rule, places));
  const Json driver = {
      {"name", "Plumbline"},
      {"version", comparison.candidate.plumbline.empty() ? "0" : comparison.candidate.plumbline},
      {"rules", rules()}};
  Json run = {{"tool", {{"driver", driver}}}, {"results", results}};
  if (Json told = notifications(comparison); !told.empty())
    run["invocations"] =
        Json::array({{{"executionSuccessful", true}, {"toolExecutionNotifications", told}}});
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run})}};
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace plumbline
