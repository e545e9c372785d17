/// plumbline submit: has a cluster's scheduler measure suites in shards, and judge them as one run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <variant>

#include "cli/command.h"
#include "cli/pair_flags.h"
#include "core/error.h"
#include "core/words.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "workflow/submit/kubernetes.h"
#include "workflow/submit/slurm.h"

namespace plumbline {
namespace {

struct SubmitFlags {
  SubmitRequest request;
  std::string baseline_ref, baseline_tree;
  bool dry_run = false, no_submit = false;
};

constexpr const char* kCluster = "Jobs";

/// In a request, 0 is a flag that is not given.
std::string refuse_zero(const std::string& text) {
  return text.find_first_not_of('0') == std::string::npos ? "0: expected a number from 1" : "";
}

/// Flags of the run and of the verdict, which do not depend on the scheduler.
void add_submission_flags(CLI::App& app, SubmitFlags& flags) {
  SubmitRequest& request = flags.request;
  add_suite_flags(app, request.run.suite);
  add_policy_flags(app, request.run.suite);
  add_worker_flags(app, request.run.worker);
  add_runs_flag(app, request.run.places);
  add_baselines_flag(app, request.run.places);
  app.add_option("-o,--output", request.run.output,
                 "folder of the submission: scripts, logs, shards, and links to the merged run "
                 "[<runs>/slurm/<time>-<commit>]")
      ->type_name("DIR");
  add_history_flag(app, request.run.places);
  app.add_option("--site", request.site, "site that shows the run afterwards")->type_name("DIR");
  app.add_option("--array", request.shards,
                 "into how many shards the cases are divided; each is a task [--nodes, else 1]")
      ->type_name("M")
      ->check(refuse_zero)
      ->group(kCluster);
  app.add_option("--balance", request.run.balance,
                 "divide the cases by the times of this run, as `run --balance` does")
      ->type_name("RUN")
      ->group(kCluster);
  app.add_option("--nodes", request.at_once, "how many tasks may run at a time [all]")
      ->type_name("N")
      ->check(refuse_zero)
      ->group(kCluster);
  app.add_option("--tries", request.tries,
                 "a task is given up when it began so often in a row without finishing a visit [3]")
      ->type_name("K")
      ->group(kCluster);
}

void add_slurm_flags(CLI::App& app, SubmitFlags& flags) {
  app.add_option(
         "--baseline-ref", flags.baseline_ref,
         "revision of git with which the baseline was measured: cases in doubt are measured "
         "again in pairs with it, each on the device that measured it")
      ->type_name("REVISION");
  app.add_option("--baseline-tree", flags.baseline_tree, "the same as a folder")
      ->type_name("FOLDER")
      ->excludes("--baseline-ref");
  for (const SlurmSetting& setting : kSlurmSettings) {
    std::string name = "--" + std::string(setting.key);
    std::ranges::replace(name, '_', '-');
    const std::string help =
        fmt::format("{} [slurm.{} of plumbline.yaml]", setting.doc, setting.key);
    CLI::Option* const option =
        std::holds_alternative<std::string SlurmSettings::*>(setting.member)
            ? app.add_option(name, flags.request.slurm.*std::get<0>(setting.member), help)
            : add_list_flag(app, name, flags.request.slurm.*std::get<1>(setting.member), help);
    option->type_name(std::string(setting.type))->group(kCluster);
  }
  app.add_flag("--may-share", flags.request.may_share,
               "let other jobs run on a task's node; their work is in the times")
      ->group(kCluster);
  CLI::Option* const dry =
      app.add_flag("--dry-run", flags.dry_run, "print the scripts; write and submit nothing");
  app.add_flag("--no-submit", flags.no_submit,
               "write the scripts, to be edited and submitted by hand")
      ->excludes(dry);
}

std::string how_to_look(const Submission& submission, const SlurmJobs& jobs) {
  return fmt::format(
      "job {}: {}; job {} merges and judges them afterwards\n  see the jobs: squeue --jobs {},{}\n"
      "  see the run:  {}\n  stop it:      scancel {} {}\n",
      jobs.array, counted(std::size_t(submission.shards), "task"), jobs.judge, jobs.array,
      jobs.judge, shell_command({"plumbline", "status", submission.folder + "/shards"}), jobs.array,
      jobs.judge);
}

std::string how_to_submit(const Submission& submission) {
  return fmt::format(
      "written; submit it with:\n  cd {}\n  sbatch task.sh\n"
      "  sbatch --dependency=afterany:JOB judge.sh\n",
      shell_command({submission.folder}));
}

int submit_slurm(SubmitFlags flags) {
  SubmitRequest& request = flags.request;
  request.baseline_side = flags.baseline_ref.empty() ? flags.baseline_tree : flags.baseline_ref;
  ConsoleTalk talk;
  Submission submission = plan_submission(request, talk);
  submission.slurm = slurm_settings(submission);
  const std::vector<Script> scripts = slurm_scripts(submission);
  if (flags.dry_run) {
    for (const Script& script : scripts) print_text(script.text + "\n");
    print_note(kDryRunNote);
    return kExitOk;
  }
  write_scripts(submission, scripts);
  say(flags.no_submit ? how_to_submit(submission)
                      : how_to_look(submission, submit_to_slurm(submission)));
  print_result(submission.folder + "\n");
  return kExitOk;
}

struct PodFlags {
  SubmitFlags submission;
  KubernetesSettings settings;
};

void add_pod_flags(CLI::App& app, PodFlags& flags) {
  KubernetesSettings& settings = flags.settings;
  app.add_option("--image", settings.image, "image of the pods: it holds plumbline and its worker")
      ->required()
      ->type_name("IMAGE")
      ->group(kCluster);
  app.add_option("--claim", settings.claim, "PersistentVolumeClaim that holds the project and runs")
      ->required()
      ->type_name("NAME")
      ->group(kCluster);
  app.add_option("--mount", settings.mount,
                 "where pods have it; the project lies below, at the same path as here")
      ->required()
      ->type_name("DIR")
      ->group(kCluster);
  app.add_option("--gpus", settings.gpus, "GPUs of a pod; 0: none [1]")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber)
      ->group(kCluster);
  app.add_option("--namespace", settings.job_namespace, "namespace of the Jobs [kubectl's]")
      ->type_name("NAME")
      ->group(kCluster);
  app.add_option("--program", flags.submission.request.slurm.program,
                 "plumbline in the image [plumbline]")
      ->type_name("PATH")
      ->group(kCluster);
}

Action configure_kubernetes(CLI::App& app) {
  auto flags = std::make_shared<PodFlags>();
  add_submission_flags(app, flags->submission);
  add_pod_flags(app, *flags);
  app.footer(
      "Prints two Jobs as YAML, for `kubectl apply -f -`, and sends nothing. The pods of the "
      "first, "
      "an Indexed Job, each measure one shard. The second waits for them, merges, compares and "
      "writes the page. It lists cases in doubt in doubts.tsv, and measures no pairs.\nExit codes: "
      "0; 2 a mistake.");
  return [flags](const auto&) {
    ConsoleTalk talk;
    SubmitRequest request = flags->submission.request;
    if (request.slurm.program.empty()) request.slurm.program = "plumbline";
    print_text(kubernetes_manifest(plan_submission(request, talk), flags->settings));
    return int(kExitOk);
  };
}

Action configure_slurm(CLI::App& app) {
  auto flags = std::make_shared<SubmitFlags>();
  add_submission_flags(app, *flags);
  add_slurm_flags(app, *flags);
  app.footer(
      "Needs sbatch; a worker and a GPU only on the nodes. Every task measures one shard on a node "
      "of its own. It is requeued after preemption, if its node fails, and shortly before its time "
      "limit, and goes on where it was. A job after the array merges the shards, compares, has "
      "cases in doubt measured in pairs, writes the page and updates the site.\nStandard output: "
      "the submission's folder.\nExit codes: 0 submitted; 2 a mistake, or sbatch refused it. The "
      "verdict's exit code will be in the file exit_code of the folder.");
  return [flags](const auto&) { return submit_slurm(*flags); };
}

}  // namespace

Command submit_command() {
  return {
      "submit", "Have a cluster measure suites in shards, and judge them as one run",
      [](CLI::App& app) {
        app.require_subcommand(1);
        CLI::App* const slurm = app.add_subcommand("slurm", "Submit a job array to Slurm");
        CLI::App* const kubernetes =
            app.add_subcommand("kubernetes", "Print an Indexed Job for Kubernetes");
        for (CLI::App* const scheduler : {slurm, kubernetes}) scheduler->group("Schedulers");
        app.footer("Exit codes: 0; 2 a mistake, or the scheduler refused it.");
        return Action([slurm, does_slurm = configure_slurm(*slurm),
                       does_kubernetes = configure_kubernetes(*kubernetes)](const auto& command) {
          return slurm->parsed() ? does_slurm(command) : does_kubernetes(command);
        });
      }};
}

}  // namespace plumbline
