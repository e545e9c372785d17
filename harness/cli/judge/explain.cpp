/// plumbline explain: every number on the way to a verdict, in the order of computation
/// (docs/explanation/formulas.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "analysis/compare/judge.h"
#include "cli/command.h"
#include "cli/judge/verdict_text.h"
#include "core/error.h"
#include "core/words.h"
#include "reports/units.h"
#include "stats/student_t.h"
#include "store/verdict/comparison_json.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "workflow/results/named_results.h"

namespace plumbline {
namespace {

struct ExplainFlags {
  std::string comparison, case_id;
  std::vector<std::string> metrics;
  bool json = false;
};

/// The standard deviation of a logarithm, as a percentage.
std::string sd_text(double variance) { return fmt::format("{:.4g} %", 100 * std::sqrt(variance)); }

std::string noise_text(const Noise& noise) {
  return fmt::format("{}, {:.4g} degrees of freedom", sd_text(noise.variance), noise.df);
}

std::string change_text(double log_change) {
  return fmt::format("{:+.4g} %", 100 * std::expm1(log_change));
}

class Steps {
 public:
  void add(std::string_view name, const std::string& text) {
    text_ += fmt::format("  {:>2}  {:<10} {}\n", ++number_, name, text);
  }
  const std::string& text() const { return text_; }

 private:
  int number_ = 0;
  std::string text_;
};

void add_visits(const Derivation& way, Steps& steps) {
  steps.add("visits", fmt::format("a visit strays by {} as this case shows it; {} with what like "
                                  "cases do; its blocks alone give {}",
                                  noise_text(way.own_visits), noise_text(way.visits),
                                  sd_text(way.block_floor)));
}

void add_machines(const Derivation& way, Steps& steps) {
  steps.add("devices",
            fmt::format("the baseline's {} devices differ by {} in this case; beyond what visits "
                        "show a device strays by {}, with what like cases do",
                        way.center_runs, noise_text(way.own_runs), noise_text(way.runs)));
  steps.add("this one",
            fmt::format("a new device differs from their median by {}, beyond what visits show",
                        noise_text(way.rule)));
}

void add_runs(const Derivation& way, Steps& steps) {
  if (way.own_runs.df > 0)
    steps.add("runs", fmt::format("a run strays by {} from earlier ones of this case; {} with what "
                                  "like cases do",
                                  noise_text(way.own_runs), noise_text(way.runs)));
  else if (way.runs.df > 0)
    steps.add("runs", fmt::format("this case has too few earlier runs; like cases stray by {}",
                                  noise_text(way.runs)));
  if (way.rule.variance > 0)
    steps.add("rule",
              fmt::format("we assume that two whole runs differ by {}, beyond what visits and "
                          "earlier runs show",
                          noise_text(way.rule)));
}

void add_noise(const Derivation& way, Steps& steps) {
  way.is_on_new_machine ? add_machines(way, steps) : add_runs(way, steps);
  if (way.disturbed_df > 0)
    steps.add("disturbed",
              fmt::format("this run's visits scatter more than those of earlier runs: {} of the "
                          "change, {:.4g} degrees of freedom",
                          sd_text(way.disturbed_variance), way.disturbed_df));
}

void add_fit(const Derivation& way, Steps& steps) {
  if (way.fit.runs < 1)
    steps.add("fit",
              fmt::format("{:.4g} of that stays: the metric's changes refute more", way.fit.runs));
  if (way.fit.errors > 1)
    steps.add("fit", fmt::format("errors × {:.4g}: the metric's changes scatter by so much more",
                                 way.fit.errors));
}

void add_estimates(const Finding& finding, Steps& steps) {
  steps.add("estimates",
            fmt::format("{} of {} → {} of {}, means of the logarithms",
                        quantity_text(finding.baseline.value_or(kUnknown), finding.unit),
                        counted(finding.baseline_visits, "visit"),
                        quantity_text(finding.candidate.value_or(kUnknown), finding.unit),
                        counted(finding.candidate_visits, "visit")));
}

void add_change(const Derivation& way, Steps& steps) {
  steps.add("change", change_text(way.change) +
                          (way.center_runs > 1
                               ? fmt::format(", against the median of {} runs", way.center_runs)
                               : ""));
  if (way.shift == 0 && way.shift_error == 0) return;
  steps.add("shift", fmt::format("{} is the run's, known to {}: {} is left", change_text(way.shift),
                                 sd_text(way.shift_error * way.shift_error),
                                 change_text(way.change - way.shift)));
}

void add_test(const Finding& finding, const Derivation& way, const DecisionRule& rule,
              Steps& steps) {
  const double change = way.change - way.shift, df = way.change_noise.df;
  const double p = student_t_two_sided_p(change == 0 ? 0 : change / way.error, df);
  const double half = student_t_quantile(0.5 + rule.confidence / 2, df) * way.error;
  steps.add("error", fmt::format("{} of the change, {:.4g} degrees of freedom",
                                 sd_text(way.error * way.error), df));
  steps.add("test", fmt::format("t = {:.4g}, p = {:.4g}", change == 0 ? 0 : change / way.error, p));
  steps.add("interval", fmt::format("{} to {}, {:.4g} %", change_text(change - half),
                                    change_text(change + half), 100 * rule.confidence));
  steps.add("families",
            fmt::format("{}; changes count up to {:.4g}, which a single test reaches at p = {:.4g}",
                        finding.pairs == 0 && finding.adjusted_p
                            ? fmt::format("p = {:.4g} among all comparisons", *finding.adjusted_p)
                            : "adjusted among all comparisons",
                        rule.false_discovery_rate, way.level));
  const std::string found =
      way.is_on_new_machine
          ? ""
          : fmt::format(", so that {:.4g} % is found nine times in ten", 100 * finding.threshold);
  steps.add("decision", fmt::format("called from {:.4g} % on{}; SAME inside ± {:.4g} %",
                                    100 * std::expm1(way.least_called), found, 100 * rule.margin));
}

/// Adds the steps after the screen.
void add_confirmation(const Finding& finding, Steps& steps) {
  if (finding.pairs == 0 && finding.rerun_visits == 0) return;
  const std::string how =
      finding.pairs > 0 ? counted(finding.pairs, "pair")
                        : fmt::format("{} of a later run", counted(finding.rerun_visits, "visit"));
  std::string text = fmt::format("{} in {}", percent_text(finding.change.value_or(kUnknown)), how);
  if (finding.change_low && finding.change_high)
    text += fmt::format(", {} to {}", percent_text(*finding.change_low),
                        percent_text(*finding.change_high));
  if (finding.adjusted_p)
    text += fmt::format(", p = {:.4g} among those measured", *finding.adjusted_p);
  steps.add("confirmed", text);
}

std::string explanation(const Finding& finding, const DecisionRule& rule) {
  Steps steps;
  if (finding.baseline || finding.candidate) add_estimates(finding, steps);
  if (const auto& way = finding.derivation) {
    add_change(*way, steps);
    add_visits(*way, steps);
    add_noise(*way, steps);
    add_fit(*way, steps);
    add_test(finding, *way, rule, steps);
  }
  add_confirmation(finding, steps);
  if (finding.detectable)
    steps.add("sees", fmt::format("a change of {:.4g} % would be called four times in five",
                                  100 * *finding.detectable));
  steps.add("verdict", std::string(name_of(finding.verdict)) +
                           (finding.reason.empty() ? "" : ": " + finding.reason));
  return fmt::format("{}  {}\n{}", finding.case_id, finding.metric, steps.text());
}

[[noreturn]] void fail_unknown(const Comparison& comparison, const ExplainFlags& flags) {
  std::vector<std::string> known;
  for (const Finding& finding : comparison.findings) known.push_back(finding.case_id);
  const std::string nearest = nearest_name(flags.case_id, known);
  throw Error(fmt::format(
      "{} has no finding of the case '{}'{}{}", flags.comparison, flags.case_id,
      flags.metrics.empty() ? "" : " in the metrics asked for",
      nearest.empty() || nearest == flags.case_id ? "" : "; nearest is '" + nearest + "'"));
}

int explain_case(const ExplainFlags& flags) {
  const bool is_folder = std::filesystem::is_directory(flags.comparison);
  std::optional<Comparison> comparison =
      find_comparison(flags.comparison + (is_folder ? "/comparison.json" : ""));
  if (!comparison) {
    require_results(flags.comparison);
    throw Error(flags.comparison +
                ": found no comparison, expected comparison.json or the folder that holds it");
  }
  std::string text;
  bool is_older = false;
  std::vector<Finding> explained;
  for (const Finding& finding : comparison->findings) {
    const bool is_asked = flags.metrics.empty() ||
                          std::ranges::find(flags.metrics, finding.metric) != flags.metrics.end();
    if (finding.case_id != flags.case_id || !is_asked) continue;
    text += explanation(finding, comparison->rule);
    explained.push_back(finding);
    is_older = is_older || (finding.p_value && !finding.derivation);
  }
  if (text.empty()) fail_unknown(*comparison, flags);
  if (is_older)
    print_note(
        "the comparison does not hold every number: it is of an earlier Plumbline, or of more than "
        "10000 findings; compare fewer");
  comparison->findings = std::move(explained);
  print_result(flags.json ? json_of(*comparison) : text);
  return kExitOk;
}

}  // namespace

Command explain_command() {
  return {"explain", "Show every number on the way to a verdict", [](CLI::App& app) {
            auto flags = std::make_shared<ExplainFlags>();
            app.add_option("COMPARISON", flags->comparison,
                           "comparison.json, or the folder that holds it")
                ->required();
            app.add_option("CASE", flags->case_id, "id of a case")->required();
            add_metrics_flag(app, flags->metrics, "only these metrics [all]");
            app.add_flag("--json", flags->json,
                         "print comparison.json with the findings of the case");
            app.footer(
                "The steps are those of docs/explanation/formulas.md. Standard deviations and "
                "changes are shares; comparison.json has each number with all digits, in "
                "`derivation`.\nExit codes: 0; 2 a mistake, or no such case.");
            return Action([flags](const auto&) { return explain_case(*flags); });
          }};
}

}  // namespace plumbline
