/// The rule of the verdicts and the environment of the measurement: complete, folded.
#include "reports/section.h"

#include <algorithm>
#include <variant>

#include "core/value.h"
#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/sections/environment/device.h"

namespace plumbline {
namespace {

std::string value_text(const Policy& policy, const PolicyField& field) {
  struct Text {
    const Policy& policy;
    std::string operator()(std::int64_t Policy::*member) const {
      return number_text(double(policy.*member), 0);
    }
    std::string operator()(double Policy::*member) const { return shortest_text(policy.*member); }
    std::string operator()(std::vector<std::string> Policy::*member) const {
      std::string text;
      for (const std::string& value : policy.*member) text += (text.empty() ? "" : ", ") + value;
      return text;
    }
  };
  return std::visit(Text{policy}, field.member);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text.append(text.empty() ? "" : " ").append(shell_word(word));
  return text;
}

std::string suites_text(const RunInfo& info) {
  std::string text;
  for (const SuiteRef& suite : info.suites)
    text += (text.empty() ? "" : "; ") + suite.name + " (" + suite.path + ", " + suite.hash + ")";
  return text;
}

PageData record_data(const RunInfo& candidate, const RunInfo* baseline) {
  PageData rows = PageData::array();
  const auto add = [&](std::string_view label, auto text_of) {
    const auto shown = [](const std::string& text) { return text.empty() ? "–" : text; };
    const std::string now = text_of(candidate), before = baseline ? text_of(*baseline) : now;
    rows.push_back({{"label", label},
                    {"differs", before != now},
                    {"baseline", shown(before)},
                    {"candidate", shown(now)}});
  };
  for (const EnvironmentField& field : environment_fields())
    add(field.label, [&](const RunInfo& info) { return field.text(info.environment); });
  add("started", [](const RunInfo& info) { return info.started_at; });
  add("finished", [](const RunInfo& info) { return info.finished_at; });
  add("command", [](const RunInfo& info) { return joined(info.command); });
  add("suites", suites_text);
  add("Plumbline", [](const RunInfo& info) { return info.plumbline; });
  for (const PolicyField& field : policy_fields())
    add("policy: " + std::string(field.name),
        [&](const RunInfo& info) { return value_text(info.policy, field); });
  return rows;
}

/// Null for a run alone.
PageData rule_data(const Comparison* comparison) {
  if (comparison == nullptr) return nullptr;
  const DecisionRule& rule = comparison->rule;
  const auto& checked = comparison->self_check;
  return {{"confidence", share_text(rule.confidence)},
          {"floor", share_text(rule.effect_floor)},
          {"false_discoveries", share_text(rule.false_discovery_rate)},
          {"margin", share_text(rule.margin)},
          {"run_sd", rule.run_sd > 0 ? share_text(rule.run_sd) : ""},
          {"controls", checked ? checked->own.controls : ""},
          {"control_share", share_text(rule.control_share)}};
}

std::string acceptance_text(const RunInfo* baseline) {
  if (baseline == nullptr || !baseline->acceptance) return "";
  const Acceptance& acceptance = *baseline->acceptance;
  return "Baseline accepted by " + acceptance.by + " at " + acceptance.at +
         (acceptance.why.empty() ? "" : ": " + acceptance.why) + ". It keeps one median per block.";
}

PageData content(const ReportModel& model) {
  const ReportInput& input = model.input;
  const RunInfo& candidate = input.candidate->info;
  const RunInfo* baseline = input.comparison ? &input.comparison->baseline
                            : input.baseline ? &input.baseline->info
                                             : nullptr;
  return {
      {"is_compared", baseline != nullptr},  {"acceptance", acceptance_text(baseline)},
      {"rule", rule_data(input.comparison)}, {"calibration", calibration_data(candidate, baseline)},
      {"drift", drift_data(candidate)},      {"record", record_data(candidate, baseline)}};
}

}  // namespace

Section environment_section() { return {"environment", 60, content, nullptr}; }

}  // namespace plumbline
