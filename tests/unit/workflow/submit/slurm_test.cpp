#include "workflow/submit/slurm.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.h"
#include "schedule/process/child_process.h"
#include "store/file.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

constexpr const char* kHostile = "it's \"a\" $(touch no)\n`name` \\ * é";

Submission small() {
  Submission submission;
  submission.folder = "/tmp/f";
  submission.name = "tiny";
  submission.shards = 4;
  return submission;
}

std::string task_of(const Submission& submission) { return slurm_scripts(submission)[0].text; }

std::string refusal(const Submission& submission) {
  try {
    slurm_scripts(submission);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// What bash knows of a variable after the settings of a script.
std::string in_bash(const std::string& script, const std::string& expression) {
  const std::string settings = script.substr(0, script.find("\nNODE="));
  return run_program({"bash", "-c", settings + "\nprintf %s " + expression}, 20).out;
}

TEST(SlurmScripts, HoldAnyNameAsOneWordForBash) {
  const TemporaryFolder folder;
  Submission submission = small();
  submission.folder = folder / kHostile;
  submission.suites = {kHostile, "plain.yaml"};
  submission.baseline_side = kHostile;
  submission.slurm.program = kHostile;
  submission.slurm.container = "apptainer exec 'my image.sif'";
  const std::string script = task_of(submission);
  EXPECT_EQ(in_bash(script, "\"$FOLDER\""), submission.folder);
  EXPECT_EQ(in_bash(script, "\"${SUITES[0]}\""), kHostile);
  EXPECT_EQ(in_bash(script, "\"${#SUITES[@]}\""), "2");
  EXPECT_EQ(in_bash(script, "\"$BASELINE_SIDE\""), kHostile);
  EXPECT_EQ(in_bash(script, "\"${PLUMBLINE[2]}\""), "my image.sif");
  EXPECT_EQ(in_bash(script, "\"${PLUMBLINE[3]}\""), kHostile);
}

TEST(SlurmScripts, HaveTheOptionsOfTheSite) {
  Submission submission = small();
  submission.at_once = 2;
  submission.slurm.partition = "gpu";
  submission.slurm.account = "two words \"x\"";
  submission.slurm.options = {"--mem=64G"};
  submission.slurm.judge_options = {"--partition=cpu"};
  const std::string task = task_of(submission), judge = slurm_scripts(submission)[1].text;
  for (const char* const line :
       {"#SBATCH --array=1-4%2\n", "#SBATCH --partition=gpu\n", "#SBATCH --exclusive\n",
        "#SBATCH \"--account=two words \\\"x\\\"\"\n", "#SBATCH --mem=64G\n",
        "#SBATCH --signal=B:USR1@120\n", "#SBATCH --requeue\n"})
    EXPECT_NE(task.find(line), std::string::npos) << line;
  EXPECT_GT(judge.find("#SBATCH --partition=cpu\n"), judge.find("#SBATCH --partition=gpu\n"));
  EXPECT_EQ(judge.find("--exclusive"), std::string::npos);
  EXPECT_EQ(slurm_scripts(submission).size(), 2U);  // without a baseline's side there are no pairs
}

TEST(SlurmScripts, RefuseOptionsThatALineCannotHold) {
  Submission submission = small();
  submission.slurm.account = "a\n#SBATCH --uid=0";
  EXPECT_NE(refusal(submission).find("a line of #SBATCH cannot"), std::string::npos);
  submission.slurm.account = "";
  submission.slurm.options = {"mem=4"};
  EXPECT_NE(refusal(submission).find("option 'mem=4' begins with no '-'"), std::string::npos);
}

TEST(SlurmScripts, AreWrittenIntoANewFolderOnly) {
  const TemporaryFolder folder;
  Submission submission = small();
  submission.folder = folder / "s";
  submission.run = folder / "run";
  const std::vector<Script> scripts = slurm_scripts(submission);
  write_scripts(submission, scripts);
  EXPECT_EQ(read_text(submission.folder + "/task.sh"), scripts[0].text);
  EXPECT_TRUE(std::filesystem::is_symlink(submission.folder + "/run"));
  EXPECT_THROW(write_scripts(submission, scripts), Error);
}

}  // namespace
}  // namespace plumbline
