/// plumbline upgrade: what another version of a package does to the times.
#include "workflow/upgrade/upgrade.h"

#include <memory>

#include "cli/command.h"
#include "cli/measure/ab_result.h"
#include "cli/pair_flags.h"
#include "core/error.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"

namespace plumbline {
namespace {

struct UpgradeFlags {
  UpgradeRequest request;
  EnvironmentRequest both;
  PairFlags pairs;
  AbOutput output;
};

int upgrade(const UpgradeFlags& flags, const std::vector<std::string>& command) {
  require_one_output(flags.output.files, flags.output.json);
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
        app.footer(
            "pip makes each environment in the cache, once (torch: 5 GB, minutes), with a worker "
            "for "
            "its torch. The first requirement is installed with all that it needs; the others "
            "replace single packages of these, whatever version torch asks for. Then the suites of "
            "the present folder are measured in pairs, as `plumbline ab venv:OLD venv:NEW` does.\n"
            "Exit codes: as of `ab`; 2 also if pip cannot install a requirement.");
        return Action([flags](const auto& command) { return upgrade(*flags, command); });
      }};
}

}  // namespace plumbline
