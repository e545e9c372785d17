#include "workflow/submit/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/visible.h"
#include "core/words.h"
#include "schedule/process/child_process.h"
#include "store/file.h"
#include "store/run/locate.h"
#include "suite/project_file.h"
#include "workflow/setup/project.h"
#include "workflow/submit/job_script.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kGraceS = "120";  // a visit and a clean end fit in
constexpr double kSbatchS = 120;

/// A value in a line of #SBATCH. sbatch reads quotes and backslashes there, but no line breaks.
std::string quoted_option(const std::string& option) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%*&|[]!";
  if (std::ranges::any_of(option, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
    throw Error(
        "slurm: '" + visible(option) +
        "' holds a line break or another control character, which a line of #SBATCH cannot");
  if (option.find_first_not_of(kPlain) == std::string::npos) return option;
  std::string text = "\"";
  for (const char c : option)
    text += (c == '"' || c == '\\') ? std::string{'\\', c} : std::string{c};
  return text + '"';
}

std::string option_lines(const Words& options) {
  std::string text;
  for (const std::string& option : options) {
    if (!option.starts_with('-'))
      throw Error("slurm: option '" + visible(option) +
                  "' begins with no '-'; expected an option of sbatch, as in --mem=16G");
    text += "#SBATCH " + quoted_option(option) + "\n";
  }
  return text;
}

/// "1-8%4": the tasks, and how many at a time.
std::string array_of(const Submission& submission) {
  return fmt::format("1-{}{}", submission.shards,
                     submission.at_once > 0 ? fmt::format("%{}", submission.at_once) : "");
}

/// The site's options that every job has.
Words site_options(const SlurmSettings& settings) {
  Words options;
  for (const auto& [flag, member] : {std::pair{"--partition=", &SlurmSettings::partition},
                                     {"--account=", &SlurmSettings::account},
                                     {"--qos=", &SlurmSettings::qos},
                                     {"--time=", &SlurmSettings::time}})
    if (!(settings.*member).empty()) options.push_back(flag + settings.*member);
  return options;
}

/// Those of a job that measures: a node of its own, and devices.
Words measuring_options(const Submission& submission) {
  const SlurmSettings& settings = submission.slurm;
  Words options{"--nodes=1", "--ntasks=1"};
  if (!submission.may_share) options.push_back("--exclusive");
  if (!settings.gres.empty()) options.push_back("--gres=" + settings.gres);
  if (!settings.constraint.empty()) options.push_back("--constraint=" + settings.constraint);
  for (const std::string& option : site_options(settings)) options.push_back(option);
  options.insert(options.end(), settings.options.begin(), settings.options.end());
  return options;
}

Script script(const std::string& name, const std::string& how, const Words& options,
              const Submission& s) {
  return {name,
          "#!/bin/bash\n# " + how + "\n" + option_lines(options) + "\n" + job_script(name, s)};
}

std::string sbatch(const Words& words, const std::string& folder) {
  Words argv{"sbatch", "--parsable", "--chdir", folder};
  argv.insert(argv.end(), words.begin(), words.end());
  const ProgramOutput done = run_program(argv, kSbatchS);
  if (done.timed_out || done.end.exit_code != 0 || done.end.signal != 0)
    throw Error(
        fmt::format("{}: {}\n{}the scripts are in {}; to submit them by hand:\n"
                    "  cd {} && sbatch task.sh\n  sbatch --dependency=afterany:JOB judge.sh",
                    shell_command(argv), done.timed_out ? "no answer" : done.end.words(), done.err,
                    folder, shell_command({folder})));
  const std::string id = done.out.substr(0, done.out.find_first_of(";\n"));
  if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos)
    throw Error(shell_command(argv) + ": expected the id of a job, found '" + visible(done.out) +
                "'");
  return id;
}

}  // namespace

SlurmSettings slurm_settings(const Submission& submission) {
  SlurmSettings settings = submission.slurm;
  if (const auto file = find_upwards(submission.work, "plumbline.yaml"))
    settings = with_defaults(settings, read_project_file(*file).slurm);
  if (settings.program.empty()) settings.program = program_folder() + "/plumbline";
  return settings;
}

std::vector<Script> slurm_scripts(const Submission& submission) {
  const SlurmSettings& settings = submission.slurm;
  Words task{"--job-name=plumbline-" + submission.name,
             "--array=" + array_of(submission),
             "--output=logs/task-%a.log",
             "--open-mode=append",
             "--requeue",
             "--signal=B:USR1@" + (settings.grace.empty() ? kGraceS : settings.grace)};
  Words judge{"--job-name=plumbline-judge-" + submission.name, "--output=logs/judge.log",
              "--open-mode=append", "--requeue", "--ntasks=1"};
  Words confirm{"--job-name=plumbline-pairs-" + submission.name, "--output=logs/pairs-%j.log",
                "--open-mode=append", "--requeue"};
  for (Words* options : {&task, &confirm})
    for (const std::string& option : measuring_options(submission)) options->push_back(option);
  for (const Words& more : {site_options(settings), settings.judge_options})
    judge.insert(judge.end(), more.begin(), more.end());
  std::vector<Script> scripts{
      script("task.sh", "Submit in this folder: sbatch task.sh", task, submission),
      script("judge.sh", "Submit in this folder: sbatch --dependency=afterany:JOB judge.sh", judge,
             submission)};
  if (!submission.baseline_side.empty())
    scripts.push_back(script("confirm.sh", "judge.sh submits this.", confirm, submission));
  return scripts;
}

void write_scripts(const Submission& submission, const std::vector<Script>& scripts) {
  const std::string& folder = submission.folder;
  if (fs::exists(folder) && !fs::is_empty(folder))
    throw Error(folder + ": found files in it, expected a new or empty folder");
  if (fs::exists(submission.run))
    throw Error(submission.run + ": it is there already; the shards of " + folder +
                " would be merged into it: name another folder with -o");
  for (const char* const name : {"logs", "shards"}) {
    std::error_code problem;
    fs::create_directories(fs::path(folder) / name, problem);
    if (problem) throw Error(folder + ": cannot make it: " + problem.message());
  }
  for (const Script& script : scripts) write_atomically(folder + "/" + script.name, script.text);
  fs::create_symlink(submission.run, folder + "/run");
}

SlurmJobs submit_to_slurm(const Submission& submission) {
  SlurmJobs jobs;
  const std::string& folder = submission.folder;
  jobs.array = sbatch({folder + "/task.sh"}, folder);
  try {
    jobs.judge = sbatch({"--dependency=afterany:" + jobs.array, folder + "/judge.sh"}, folder);
  } catch (const Error&) {
    run_program({"scancel", jobs.array}, kSbatchS);
    throw;
  }
  return jobs;
}

}  // namespace plumbline
