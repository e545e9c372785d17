/// A script stands for Python and its pip: it makes folders as pip would, and writes down its
/// calls.
#include "workflow/upgrade/made_environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/error.h"
#include "store/file.h"
#include "support/kept_talk.h"
#include "workflow/cleaning/cached_leftovers.h"
#include "workflow/scratch_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// `-m venv DIR` makes DIR with itself as its Python; `-m pip install WORDS` plants torch or a
/// worker's wheel; `fails` as a word makes pip fail.
constexpr const char* kPython = R"sh(#!/bin/sh
here=$(cd "$(dirname "$0")/.." && pwd)
[ "$1" != -I ] || shift
case "$1 $2" in
  "-c "*) echo "3.11.2 (scripted)" ;;
  "-m venv") mkdir -p "$3/bin" "$3/lib/python3.11/site-packages"; cp "$0" "$3/bin/python3"; touch "$3/pyvenv.cfg" ;;
  "-m pip")
    echo "$*" >>"$CALLS"
    packages=$here/lib/python3.11/site-packages
    for word; do
      case $word in
        fails==1) echo "no such package"; exit 1 ;;
        torch==*) mkdir -p "$packages/torch"
          printf "__version__ = '%s+cu130'\ncuda = '13.0'\n" "${word#torch==}" >"$packages/torch/version.py" ;;
        misfit==1) mkdir -p "$packages/plumbline_gpu_workers/torch-2.11-cu13"
          touch "$packages/plumbline_gpu_workers/torch-2.11-cu13/plumbline-worker" ;;
        plumbline-gpu-torch211==*) mkdir -p "$packages/plumbline_gpu_workers/torch-2.11-cu13"
          touch "$packages/plumbline_gpu_workers/torch-2.11-cu13/plumbline-worker" ;;
      esac
    done ;;
esac
)sh";

class MadeEnvironmentTest : public testing::Test {
 protected:
  MadeEnvironmentTest() {
    setenv("PLUMBLINE_CACHE", cache().c_str(), 1);
    setenv("CALLS", calls_file().c_str(), 1);
    fs::create_directories(fs::path(python()).parent_path());
    write_atomically(python(), kPython);
    fs::permissions(python(), fs::perms::owner_all);
  }
  ~MadeEnvironmentTest() override {
    unsetenv("PLUMBLINE_CACHE");
    unsetenv("CALLS");
  }

  std::string cache() const { return scratch_.path() + "/cache"; }
  std::string calls_file() const { return scratch_.path() + "/calls"; }
  std::string python() const { return scratch_.path() + "/own/bin/python3"; }
  std::string calls() const { return fs::exists(calls_file()) ? read_text(calls_file()) : ""; }

  MadeEnvironment make(const std::string& requirements) {
    return make_environment({requirements, {"numpy==2.4.6"}, python(), {}}, talk_);
  }
  std::string refusal(const std::string& requirements) {
    try {
      make(requirements);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  /// Folders of environments in the cache.
  std::size_t environments() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(cache()))
      count += entry.is_directory() && entry.path().filename().string().starts_with("upgrade-");
    return count;
  }

  ScratchFolder scratch_;
  KeptTalk talk_;
};

TEST_F(MadeEnvironmentTest, IsMadeOnceWithTheWorkerForItsTorch) {
  const MadeEnvironment made = make("torch==2.11.0 nvidia-cudnn-cu13==9.28.1.4");
  EXPECT_TRUE(fs::exists(made.prefix + "/lib/python3.11/site-packages/plumbline_gpu_workers"));
  const std::string pip = calls();
  EXPECT_NE(pip.find("install --disable-pip-version-check torch==2.11.0 numpy==2.4.6\n"),
            std::string::npos)
      << pip;
  EXPECT_NE(pip.find("--no-deps nvidia-cudnn-cu13==9.28.1.4\n"), std::string::npos) << pip;
  EXPECT_NE(pip.find("--no-index"), std::string::npos) << pip;
  EXPECT_NE(pip.find("plumbline-gpu-torch211==" PLUMBLINE_VERSION), std::string::npos) << pip;
  EXPECT_EQ(make("torch==2.11.0   nvidia-cudnn-cu13==9.28.1.4").prefix, made.prefix);
  EXPECT_EQ(calls(), pip) << "it is there already";
  EXPECT_NE(make("torch==2.11.1").prefix, made.prefix);
}

TEST_F(MadeEnvironmentTest, APlanNamesWhatIsMadeThenAndMakesNothing) {
  const EnvironmentRequest request{
      "torch==2.11.0 nvidia-cudnn-cu13==9.28.1.4", {"numpy==2.4.6"}, python(), {}};
  const EnvironmentPlan planned = plan_environment(request);
  EXPECT_FALSE(planned.is_made);
  EXPECT_FALSE(fs::exists(cache()));
  EXPECT_EQ(calls(), "") << "no pip ran";
  EXPECT_EQ(planned.worker, "found no wheel plumbline-gpu-torch211==" PLUMBLINE_VERSION
                            ": a worker is compiled, 30 to 60 minutes on two cores");
  const std::string pip = planned.prefix + "/bin/python3 -I -m pip install ";
  EXPECT_EQ(planned.commands,
            python() + " -I -m venv " + planned.prefix + " && " + pip +
                "--disable-pip-version-check torch==2.11.0 numpy==2.4.6 && " + pip +
                "--disable-pip-version-check --no-deps nvidia-cudnn-cu13==9.28.1.4");
  EXPECT_EQ(make_environment(request, talk_).prefix, planned.prefix);
  EXPECT_TRUE(plan_environment(request).is_made);
}

TEST_F(MadeEnvironmentTest, APlanNamesTheWheelOfTheWorker) {
  const std::string folder = scratch_.path() + "/wheels";
  const std::string wheel =
      folder + "/plumbline_gpu_torch211-" PLUMBLINE_VERSION "-py3-none-any.whl";
  fs::create_directories(folder);
  write_atomically(folder + "/plumbline_gpu_torch2110-" PLUMBLINE_VERSION "-py3-none-any.whl", "");
  write_atomically(folder + "/plumbline_gpu_torch211-0.0.1-py3-none-any.whl", "");
  EXPECT_NE(plan_environment({"torch==2.11.0", {}, python(), {folder}}).worker, wheel);
  write_atomically(wheel, "");
  EXPECT_EQ(plan_environment({"torch==2.11.0", {}, python(), {folder}}).worker, wheel);
}

TEST_F(MadeEnvironmentTest, APlanFindsTheMistakesThatPipIsNotNeededFor) {
  EXPECT_THROW(plan_environment({"torch", {}, python(), {}}), Error);
  EXPECT_THROW(plan_environment({"torch==2.11.0", {"numpy"}, python(), {}}), Error);
  EXPECT_THROW(plan_environment({"torch==2.11.0", {}, python(), {scratch_.path() + "/none"}}),
               Error);
}

TEST_F(MadeEnvironmentTest, WhatPipCannotInstallLeavesNothing) {
  const std::string said = refusal("torch==2.11.0 fails==1");
  EXPECT_NE(said.find("torch==2.11.0 fails==1 cannot be built"), std::string::npos) << said;
  EXPECT_NE(said.find("no such package"), std::string::npos) << "pip's last lines: " << said;
  EXPECT_EQ(environments(), 0U);
}

TEST_F(MadeEnvironmentTest, RequirementsThatCannotBeMeantAreMistakes) {
  EXPECT_NE(refusal("numpy==2.4.6").find("'numpy==2.4.6' brings no torch"), std::string::npos);
  EXPECT_NE(refusal("torch==2.11.0 --index-url x").find("the option --index-url"),
            std::string::npos);
  EXPECT_NE(refusal("  ").find("expected a requirement"), std::string::npos);
  EXPECT_NE(refusal("torch").find("'torch': expected a version"), std::string::npos);
  EXPECT_NE(refusal("./no.whl").find("there is no such wheel"), std::string::npos);
  EXPECT_EQ(environments(), 0U);
}

TEST_F(MadeEnvironmentTest, AWorkerThatDoesNotFitItsTorchIsSaidAndNotKept) {
  const std::string said = refusal("torch==2.12.0 misfit==1");
  EXPECT_NE(said.find("torch-2.11-cu13"), std::string::npos) << said;
  EXPECT_EQ(environments(), 0U);
}

TEST_F(MadeEnvironmentTest, WhatAKilledCommandLeftIsMadeAgainOrRemoved) {
  std::string prefix;
  {
    const MadeEnvironment made = make("torch==2.11.0");
    prefix = made.prefix;
    EXPECT_TRUE(environments_in(cache(), 0).removable.empty()) << "in use";
    ASSERT_EQ(environments_in(cache(), 0).kept.size(), 1U);
  }
  fs::remove(prefix + "/.complete");
  const Leftovers left = environments_in(cache(), 0);
  ASSERT_EQ(left.removable.size(), 1U);
  EXPECT_EQ(left.removable[0].what, "unfinished environment");
  const std::string before = calls();
  EXPECT_EQ(make("torch==2.11.0").prefix, prefix);
  EXPECT_NE(calls(), before) << "it was made again";
  EXPECT_TRUE(fs::exists(prefix + "/.complete"));
}

}  // namespace
}  // namespace plumbline
