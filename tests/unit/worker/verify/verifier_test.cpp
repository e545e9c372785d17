/// The steps of verification in their order, and their findings, for a plain case and for one with
/// several instances.
#include "worker/verify/verifier.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "device/cpu/cpu_device.h"
#include "support/catalogue_case.h"
#include "worker/verify/visit_failure.h"

namespace plumbline {
namespace {

using Steps = std::vector<std::string>;

/// Launches on the CPU, one instance after the other, and records the calls.
class WrittenDown final : public VisitSubject {
 public:
  WrittenDown(const Case& subject, int count, bool has_streams)
      : has_streams_(has_streams), launches_(std::size_t(count)) {
    for (int i = 0; i < count; ++i) instances_.emplace_back(subject, device_, false, 1 + i);
  }

  Steps steps;
  std::function<Tensors(int instance, const Tensors& results)> fault;  // changes the visible
                                                                       // results
  bool is_late = false;  // a thread writes results after the launch is over

  CpuDevice& device() { return device_; }

  bool has_streams() const override { return has_streams_; }
  std::span<Instance> instances() override { return instances_; }
  void require_timeable() override { steps.emplace_back("timeable"); }
  void place(std::int64_t placement) override {
    steps.push_back("place " + std::to_string(placement));
    device_.place(std::uint64_t(placement + 2));
    for (Instance& instance : instances_) instance.workload().make_inputs();
  }
  void prepare() override {
    late_work_.reset();
    steps.emplace_back("prepare");
    for (std::size_t i = 0; i < instances_.size(); ++i)
      launches_[i] = instances_[i].workload().prepare();
  }
  std::string plan() const override { return "the plan"; }
  void launch() override {
    late_work_.reset();
    steps.emplace_back("launch");
    for (const Prepared& one : launches_) {
      one.clear();
      one.launch();
    }
    if (is_late) start_late_work();
  }
  Tensors results() const override { return launches_.front().results(); }
  void judge_results(const Judge& judge, const std::string& when) override {
    steps.push_back("judge" + (when.empty() ? "" : " " + when));
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      const Tensors results = launches_[i].results();
      judge(instances_[i], fault ? fault(int(i), results) : results,
            "instance " + std::to_string(i) + (when.empty() ? "" : ", " + when));
    }
  }
  void judge_timed(const Judge& judge) override { judge_results(judge, "timed"); }
  void judge_others(int count, const Judge& judge) override {
    for (int i = 0; i < count; ++i) judge_results(judge, "other");
  }
  void look_for_races(const Judge&) override { steps.emplace_back("races"); }
  VisitSamples sample(const Judge&) override {
    place(kFirstBlock);
    prepare();
    launch();
    return {};
  }

 private:
  CpuDevice device_;
  void start_late_work() {
    volatile float* const first = results()[0].data_ptr<float>();
    *first = 100;  // wrong from the first check on
    late_work_.emplace([first](const std::stop_token& stop) {
      for (float value = 100; !stop.stop_requested(); value += 1) *first = value;
    });
  }

  bool has_streams_;
  std::vector<Instance> instances_;
  std::vector<Prepared> launches_;
  std::optional<std::jthread> late_work_;
};

struct Scene {
  Case subject;
  WrittenDown launches;
  VerificationExtent extent{.has_races = true, .is_first_visit = true, .timed_as = "measured"};
  KeptResults kept{-1, 0};
  MeasureAnswer answer;

  explicit Scene(const std::string& text, int count = 1, bool has_streams = false)
      : subject(case_of(text)), launches(subject, count, has_streams) {}

  /// The reason of a visit that is WRONG, or "".
  std::string run() {
    Verifier verifier(
        launches, launches.device(), kept, extent,
        [this](std::string_view phase) { launches.steps.push_back(std::string(phase) + ":"); },
        answer);
    try {
      verifier.before_timing();
      launches.steps.emplace_back("measure:");
      launches.sample(verifier.judge());
      verifier.after_timing();
    } catch (const VisitFailure& failure) {
      EXPECT_EQ(failure.status, Status::wrong);
      return failure.reason;
    }
    return "";
  }
};

constexpr const char* kCase = "relu elements=1000 dtype=float32";

TEST(Verifier, TheStepsOfAPlainCase) {
  Scene scene(kCase);
  EXPECT_EQ(scene.run(), "");
  EXPECT_EQ(scene.launches.steps, (Steps{"verify:",
                                         "timeable",
                                         "place -1",
                                         "prepare",
                                         "launch",
                                         "judge",
                                         "verify reference:",
                                         "verify:",
                                         "launch",
                                         "launch",
                                         "launch",
                                         "verify races:",
                                         "races",
                                         "verify:",
                                         "measure:",
                                         "place 0",
                                         "prepare",
                                         "launch",
                                         "verify again:",
                                         "judge timed",
                                         "verify reference:",
                                         "verify again:"}));
  EXPECT_EQ(scene.answer.plan, "the plan");
  EXPECT_EQ(scene.answer.repeats, kRepeatsBitwise);
  EXPECT_EQ(scene.answer.error_max_abs, 0);
  EXPECT_EQ(scene.answer.tolerance, 0);
}

TEST(Verifier, TheStepsOfACaseWithStreams) {
  Scene scene(kCase, 2, true);
  EXPECT_EQ(scene.run(), "");
  EXPECT_EQ(scene.launches.steps, (Steps{"verify:",
                                         "timeable",
                                         "place -1",
                                         "prepare",
                                         "launch",
                                         "judge",
                                         "launch",
                                         "launch",
                                         "launch",
                                         "races",
                                         "measure:",
                                         "place 0",
                                         "prepare",
                                         "launch",
                                         "verify again:",
                                         "judge measured",
                                         "verify other inputs:",
                                         "place 0",
                                         "prepare",
                                         "launch",
                                         "place 0",
                                         "place 0",
                                         "prepare",
                                         "launch",
                                         "judge on other inputs than the timed ones"}));
}

TEST(Verifier, LaterVisitsJudgeTheTimedLaunchesAlone) {
  Scene scene(kCase);
  scene.extent = {.launches_before = false};
  EXPECT_EQ(scene.run(), "");
  EXPECT_EQ(scene.launches.steps,
            (Steps{"verify:", "measure:", "place 0", "prepare", "launch",
                   "verify again:", "judge timed", "verify reference:", "verify again:"}));
}

TEST(Verifier, TheReferenceIsOfInputsThatNoLaunchHasChanged) {
  Scene scene("adamw elements=100 dtype=float32");
  EXPECT_EQ(scene.run(), "");
  const Steps& steps = scene.launches.steps;
  EXPECT_EQ(Steps(steps.begin(), steps.begin() + 7),
            (Steps{"verify:", "timeable", "place -1", "prepare", "launch", "place -1",
                   "verify reference:"}));
}

TEST(Verifier, AMarginalMistakeIsOneOnlyWhereMostInputsHaveIt) {
  for (const bool has_always : {false, true}) {
    Scene scene(
        "max_pool2d n=2 c=5 h=8 w=13 kernel=3 stride=2 padding=1 direction=backward dtype=float32");
    const Workload& workload = scene.launches.instances().front().workload();
    const double wrong = 1 + 1.9 * workload.tolerance({});
    int judged = 0;
    scene.launches.fault = [&](int, const Tensors& results) -> Tensors {
      return {has_always || judged++ == 0 ? results[0] * wrong : results[0]};
    };
    const std::string reason = scene.run();
    EXPECT_EQ(reason.find("; so on ") != std::string::npos, has_always) << reason;
    EXPECT_EQ(reason.empty(), !has_always) << reason;
  }
}

TEST(Verifier, AWrongResultEndsTheVisitWithItsErrorAndPlan) {
  Scene scene(kCase, 2);
  scene.launches.fault = [](int instance, const Tensors& results) {
    return instance == 0 ? results : Tensors{results[0] + 1};
  };
  const std::string reason = scene.run();
  EXPECT_TRUE(reason.starts_with("instance 1: ")) << reason;
  EXPECT_FLOAT_EQ(float(scene.answer.error_max_abs), 1);
  EXPECT_EQ(scene.answer.plan, "the plan");
  EXPECT_EQ(std::ranges::count(scene.launches.steps, "judge"), 1);
}

TEST(Verifier, AWrongResultThatStillChangesWhenItsLaunchIsOverIsCalledLate) {
  Scene scene(kCase);
  scene.launches.is_late = true;
  const std::string reason = scene.run();
  EXPECT_TRUE(reason.starts_with("results of a launch appeared after it was over")) << reason;
}

TEST(Verifier, WhatWasKeptFromBeforeIsNoResultOfOtherInputs) {
  Scene scene(kCase, 2, true);
  Tensors kept;
  scene.launches.fault = [&](int instance, const Tensors& results) -> Tensors {
    if (instance == 0) return results;
    if (kept.empty()) kept = {results[0].clone()};
    return kept;
  };
  const std::string reason = scene.run();
  EXPECT_TRUE(reason.starts_with("instance 1, on other inputs than the timed ones: ")) << reason;
  EXPECT_EQ(scene.answer.error_max_abs, 0);  // of the timed inputs
}

TEST(Verifier, WritingOutOfBoundsIsAMistakeOfPlainCases) {
  for (const bool has_streams : {false, true}) {
    Scene scene(kCase, 1, has_streams);
    scene.launches.fault = [&](int, const Tensors& results) {
      auto* const memory = static_cast<char*>(scene.launches.device().allocate(64));
      memory[64] = 0;
      return results;
    };
    const std::string reason = scene.run();
    EXPECT_EQ(reason.starts_with("the launch wrote out of bounds: "), !has_streams) << reason;
  }
}

}  // namespace
}  // namespace plumbline
