#include "reports/sections/findings/commands.h"

#include <fmt/format.h>

#include <cmath>

#include "core/moment.h"
#include "core/words.h"
#include "reports/next_command.h"
#include "reports/sections/findings/selected.h"

namespace plumbline {
namespace {

constexpr std::int64_t kAcknowledgedDays = 14;

std::string commit_of(const RunInfo& info) { return info.environment.commit.substr(0, 12); }

/// The candidate's side for `ab`: its commit, or the folder if files differ from it.
std::string candidate_side(const RunInfo& info) {
  return info.environment.dirty.value_or(true) || commit_of(info).empty() ? "." : commit_of(info);
}

void add_pairs(const ReportModel& model, const Card& card, std::vector<NextStep>& steps) {
  const Comparison& comparison = *model.input.comparison;
  if (commit_of(comparison.baseline).empty()) return;
  std::vector<std::string> words{"plumbline", "ab", commit_of(comparison.baseline),
                                 candidate_side(comparison.candidate),
                                 suite_word(model, *card.view)};
  const Selected selected = selected_cases(model, card);
  words.insert(words.end(), selected.words.begin(), selected.words.end());
  const char* purpose = card.view->finding->pairs > 0 ? "in pairs again" : "confirm in pairs";
  steps.push_back({purpose + selected.said, shell_command(words)});
}

void add_profile(const ReportModel& model, const Card& card, const char* tool,
                 std::vector<NextStep>& steps) {
  steps.push_back(
      {tool == std::string("ncu") ? "profile the worst" : "look for races, bad accesses",
       shell_command({"plumbline", "profile", std::string(card.view->id),
                      suite_word(model, *card.view), "--tool", tool})});
}

void add_difference(const Comparison& comparison, std::vector<NextStep>& steps) {
  if (std::string command = difference_command(comparison); !command.empty())
    steps.push_back({"what changed", std::move(command)});
}

/// `+9%`: the upper end of the change's interval, rounded up.
std::string acknowledged_change(const Card& card) {
  const Finding& finding = *card.view->finding;
  const double high = finding.change_high.value_or(finding.change.value_or(0));
  return fmt::format("+{:.0f}%", std::ceil(100 * high));
}

void add_acknowledge(const ReportModel& model, const Card& card, std::vector<NextStep>& steps) {
  const RunInfo& info = model.input.candidate->info;
  const std::optional<Moment> start = moment_of(info.started_at);
  if (!start || !card.view->finding || !card.view->finding->change) return;
  const std::string until = utc_text({start->seconds + kAcknowledgedDays * 86'400}).substr(0, 10);
  const std::string since = commit_of(info).empty() ? info.started_at : commit_of(info);
  steps.push_back({"acknowledge the worst until " + until,
                   shell_command({"plumbline", "acknowledge", std::string(card.view->id),
                                  "--change", acknowledged_change(card), "--until", until, "--why",
                                  "known since " + since})});
}

/// Accepting makes all slower cases the new normal at once.
void add_accept(const Comparison& comparison, std::vector<NextStep>& steps) {
  const std::string command = accept_command(comparison);
  if (command.empty()) return;
  const Census census = census_of(comparison);  // once: it reads all findings
  const std::size_t slower = census.of(Verdict::slower) + census.of(Verdict::looks_slower);
  steps.push_back(
      {fmt::format("accept all: hides {} from now on", counted(slower, "slowdown")), command});
}

}  // namespace

std::vector<NextStep> next_steps(const ReportModel& model, const Card& card) {
  std::vector<NextStep> steps;
  const bool is_slower =
      model.input.comparison && card.view->finding && card.view->label.word != "broken";
  if (!is_slower) {
    steps.push_back({"measure again", card.reproduce});
    add_profile(model, card, "sanitizer", steps);
    if (model.input.comparison) add_difference(*model.input.comparison, steps);
    return steps;
  }
  add_pairs(model, card, steps);
  add_profile(model, card, "ncu", steps);
  add_difference(*model.input.comparison, steps);
  add_acknowledge(model, card, steps);
  add_accept(*model.input.comparison, steps);
  return steps;
}

}  // namespace plumbline
