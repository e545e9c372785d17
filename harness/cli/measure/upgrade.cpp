/// plumbline upgrade: what another version of a package does to the times.
#include "workflow/upgrade/upgrade.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "cli/command.h"
#include "cli/measure/ab_result.h"
#include "cli/pair_flags.h"
#include "core/error.h"
#include "core/words.h"
#include "schedule/plan.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"

namespace plumbline {
namespace {

struct UpgradeFlags {
  UpgradeRequest request;
  EnvironmentRequest both;
  PairFlags pairs;
  AbOutput output;
  bool dry_run = false;
};

/// The options of this call that `ab` has, too, as words of its command line.
std::vector<std::string> words_for_ab(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    const bool is_for_ab = option->get_group() != kEnvironmentFlags && !option->get_positional() &&
                           option->get_name() != "--dry-run";
    if (option->empty() || !is_for_ab) continue;
    const std::string flag = "--" + option->get_lnames().front();
    if (option->get_items_expected_max() == 0)
      words.push_back(flag);
    else if (const char delimiter = option->get_delimiter(); delimiter != '\0')
      words.insert(words.end(), {flag, CLI::detail::join(option->results(), {delimiter})});
    else
      for (const std::string& value : option->results()) words.insert(words.end(), {flag, value});
  }
  return words;
}

std::string ab_command_line(const UpgradePlan& plan, const AbRequest& pairs, const CLI::App& app) {
  std::vector<std::string> words{"plumbline", "ab"};
  for (const EnvironmentPlan& environment : plan.environments)
    words.push_back(std::string(kEnvironmentPrefix) + environment.prefix);
  const std::vector<std::string>& suites = pairs.run.suite.suites;
  words.insert(words.end(), suites.begin(), suites.end());
  std::ranges::move(words_for_ab(app), std::back_inserter(words));
  return shell_command(words);
}

std::string suites_in_words(const WrittenSuites& written) {
  std::string text;
  for (const Suite& suite : written.loaded.suites) {
    std::string ids;
    std::size_t count = 0;
    for (const Case& c : written.loaded.cases) {
      if (c.suite != suite.name || !is_runnable(c)) continue;
      ids += "  " + c.id + "\n";
      ++count;
    }
    text += fmt::format("suite {} ({}): {} of {}\n{}", suite.name, suite.path, count,
                        counted(suite.cases.size(), "case"), ids);
  }
  for (const std::string& file : written.in_python)
    text += "suite " + file + ": its cases are known once its environment is made\n";
  return text;
}

std::string in_words(const EnvironmentPlan& planned, const EnvironmentRequest& request, char side) {
  const std::string text = fmt::format("side {}: {}\n", side, request.requirements);
  if (planned.is_made) return text + "  is in " + planned.prefix + "\n";
  return text + fmt::format("  would be made in {}\n  by {}\n  worker: {}\n", planned.prefix,
                            planned.commands, planned.worker);
}

int show_plan(const UpgradeRequest& request, const CLI::App& app, Talk& talk) {
  const UpgradePlan plan = plan_upgrade(request);
  talk.notes(plan.suites.loaded.notes);
  std::string text = suites_in_words(plan.suites);
  for (const std::size_t i : {0, 1})
    text += in_words(plan.environments[i], request.environments[i], "ab"[i]);
  print_text(text + "then it would measure as this command does:\n  " +
             ab_command_line(plan, request.pairs, app) + "\n");
  print_note(kDryRunNote);
  return kExitOk;
}

int upgrade(const UpgradeFlags& flags, const CLI::App& app,
            const std::vector<std::string>& command) {
  require_one_output(flags.output.files, flags.output.json);
  if (flags.dry_run && flags.output.json) throw Error("--dry-run does not go with --json");
  UpgradeRequest request = flags.request;
  for (EnvironmentRequest& environment : request.environments) {
    environment.more = flags.both.more;
    environment.python = flags.both.python;
    environment.wheels = flags.both.wheels;
  }
  if (request.environments[0].requirements == request.environments[1].requirements)
    throw Error("both environments are '" + request.environments[0].requirements +
                "'; name what they differ in");
  request.pairs.pairs = options_of(flags.pairs);
  request.pairs.command = command;
  ConsoleTalk talk;
  if (flags.dry_run) return show_plan(request, app, talk);
  return tell_ab(measure_upgrade(std::move(request), talk), flags.output, talk);
}

}  // namespace

Command upgrade_command() {
  return {
      "upgrade", "Measure what another version of torch, cuDNN or any package does to the times",
      [](CLI::App& app) {
        auto flags = std::make_shared<UpgradeFlags>();
        AbRequest& pairs = flags->request.pairs;
        constexpr const char* kForm =
            "requirements of pip, such as torch==2.11.0 or 'torch==2.11.0 "
            "nvidia-cudnn-cu13==9.28.1.4'";
        app.add_option("OLD", flags->request.environments[0].requirements,
                       "the baseline's side: " + std::string(kForm))
            ->required();
        app.add_option("NEW", flags->request.environments[1].requirements,
                       "the candidate's side, in the same form")
            ->required();
        add_suite_flags(app, pairs.run.suite);
        add_policy_flags(app, pairs.run.suite);
        add_worker_flags(app, pairs.run.worker);
        add_sandbox_flags(app, pairs.run.worker);
        add_runs_flag(app, pairs.run.places);
        add_pair_flags(app, flags->pairs);
        add_side_flags(app, pairs.sides);
        add_environment_flags(app, flags->both);
        add_ab_output(app, pairs, flags->output);
        add_dry_run_flag(app, flags->dry_run);
        app.footer(
            "pip makes each environment in the cache, once (torch: 5 GB, minutes), with a worker "
            "for "
            "its torch. The first requirement is installed with all that it needs; the others "
            "replace single packages of these, whatever version torch asks for. Then the suites of "
            "the present folder are measured in pairs, as `plumbline ab venv:OLD venv:NEW` does.\n"
            "Exit codes: as of `ab`; 2 also if pip cannot install a requirement.");
        return Action([flags, &app](const auto& command) { return upgrade(*flags, app, command); });
      }};
}

}  // namespace plumbline
