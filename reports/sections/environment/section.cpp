/// How it was judged and where it was measured, complete, folded.
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

std::string row(std::string_view label, const std::string& candidate, const std::string* baseline) {
  const auto cell = [](const std::string& text) {
    return "<td class=\"mono\">" + (text.empty() ? "–" : escaped(text)) + "</td>";
  };
  const bool differs = baseline && *baseline != candidate;
  return std::string(differs ? "<tr class=\"differs\">" : "<tr>") + "<th scope=\"row\">" +
         escaped(label) + "</th>" + (baseline ? cell(*baseline) : "") + cell(candidate) + "</tr>\n";
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

std::string record_html(const RunInfo& candidate, const RunInfo* baseline) {
  std::string rows;
  const auto add = [&](std::string_view label, auto text_of) {
    const std::string before = baseline ? text_of(*baseline) : std::string();
    rows += row(label, text_of(candidate), baseline ? &before : nullptr);
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
  const std::string head = baseline ? "<th>baseline</th><th>candidate</th>" : "<th>this run</th>";
  return "<details><summary>Environment and policy, the whole record</summary>\n"
         "<div class=\"wide\"><table class=\"rows record\"><thead><tr><th>what</th>" +
         head + "</tr></thead><tbody>\n" + rows + "</tbody></table></div></details>\n";
}

std::string rule_html(const Comparison& comparison) {
  const DecisionRule& rule = comparison.rule;
  std::string html =
      "<details><summary>How it was judged</summary>\n<ul>"
      "<li>A case’s value is the median within a block of samples, the mean over the blocks of a "
      "round, the mean over rounds. Rounds run in fresh processes, and only they count as "
      "repeats.</li>"
      "<li>Intervals cover the true change with " +
      escaped(share_text(rule.confidence)) +
      " confidence. Shown changes are what remains after a movement common to all cases.</li>"
      "<li>Slower, faster: the interval excludes no change, the change is at least " +
      escaped(share_text(rule.effect_floor)) +
      " (or the case’s own threshold), and over all cases together no more than " +
      escaped(share_text(rule.false_discovery_rate)) +
      " of such findings are expected to be false.</li>"
      "<li>Same: the whole interval lies within ± " +
      escaped(share_text(rule.margin)) + ". Anything else is unresolved.</li>";
  if (rule.run_sd > 0)
    html += "<li>Two whole runs of the same code are assumed to differ by " +
            escaped(share_text(rule.run_sd)) + " (standard deviation).</li>";
  if (comparison.self_check && !comparison.self_check->own.controls.empty())
    html += "<li>False alarms are counted among controls: " +
            escaped(comparison.self_check->own.controls) + ". Where cases are measured in pairs, " +
            escaped(share_text(rule.control_share)) +
            " of the cases, at random, are controls, and at least one. Slowdowns are planted in "
            "this run’s own samples; bounds are Clopper and Pearson’s, each at 95 %.</li>";
  return html + "</ul></details>\n";
}

std::string acceptance_html(const RunInfo& baseline) {
  if (!baseline.acceptance) return "";
  const Acceptance& acceptance = *baseline.acceptance;
  return "<p class=\"quiet\">Baseline accepted by " + escaped(acceptance.by) + " at " +
         escaped(acceptance.at) + (acceptance.why.empty() ? "" : ": " + escaped(acceptance.why)) +
         ". It keeps one median per block.</p>\n";
}

std::string html(const ReportModel& model) {
  const ReportInput& input = model.input;
  const RunInfo* baseline = input.comparison ? &input.comparison->baseline
                            : input.baseline ? &input.baseline->info
                                             : nullptr;
  std::string page = "<section id=\"environment\">\n<h2>Method and environment</h2>\n";
  if (baseline) page += acceptance_html(*baseline);
  if (input.comparison) page += rule_html(*input.comparison);
  page += device_html(input.candidate->info, baseline);
  return page + record_html(input.candidate->info, baseline) + "</section>\n";
}

}  // namespace

Section environment_section() { return {"environment", 60, html, nullptr}; }

}  // namespace plumbline
