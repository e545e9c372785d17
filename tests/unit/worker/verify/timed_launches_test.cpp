/// What is reported for launches that do not do their work; each fault is planted in a launch that
/// computes.
#include "worker/verify/timed_launches.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <gtest/gtest.h>

#include "core/op/tensor_hash.h"
#include "device/cpu/cpu_device.h"
#include "support/catalogue_case.h"
#include "support/source_folder.h"
#include "worker/verify/visit_failure.h"
#include "worker/workloads/workload.h"

namespace plumbline {
namespace {

/// relu of 1,000 numbers by a launch that a test replaces; its result is always at the same place.
class Scene {
 public:
  explicit Scene(const std::string& text = "relu elements=1000 dtype=float32")
      : Scene(case_of(text)) {}
  explicit Scene(Case subject) : subject_(std::move(subject)) {
    prepared_.keeps_no_values = true;
    device_.place(1);
    instance_ = std::make_unique<Instance>(subject_, device_, false, 1);
    make_inputs(0);
    result_ = at::empty_like(x());
    compute = [](const at::Tensor& x, at::Tensor& result) { result.copy_(x.clamp_min(0)); };
    timed_ = std::make_unique<TimedLaunches>(
        WatchedLaunches{*instance_, [this](std::uint64_t contents) { make_inputs(contents); },
                        [this](std::uint64_t contents) {
                          make_inputs(contents);
                          result_ = at::empty_like(x());
                        },
                        [this] { compute(x(), result_); }, [this] { settle(); },
                        [this] { return Tensors{result_}; },
                        [this]() -> const Prepared& { return prepared_; }},
        device_, /*draw=*/3);
  }

  std::function<void(const at::Tensor& x, at::Tensor& result)> compute;
  std::function<void()> settle = [] {};
  bool is_timed = false;  // the current launch

  at::Tensor x() const { return instance_->workload().inputs().front(); }

  /// The finding if a piece of the results is overwritten right after a launch.
  std::string watch(const std::function<void(at::Tensor& result)>& later) {
    const Scrutiny scrutiny = timed_->scrutiny();
    try {
      compute(x(), result_);
      scrutiny.touch(true);
      if (later) later(result_);
      scrutiny.watch();
    } catch (const VisitFailure& failure) {
      return failure.reason;
    }
    return "";
  }

  /// Runs `samples` cold samples, repeats sample number `repeated`, and judges all. Returns the
  /// finding.
  std::string visit(int samples, int repeated) {
    const Scrutiny scrutiny = timed_->scrutiny();
    try {
      for (int i = 0; i < samples; ++i) {
        scrutiny.renew(contents_of(ContentsOf::sample, std::uint64_t(i)));
        is_timed = true;
        compute(x(), result_);
        is_timed = false;
        scrutiny.look();
        if (i == repeated) scrutiny.repeat();
      }
      timed_->judge_all([](Instance& instance, const Tensors& results, const std::string&) {
        instance.expect_reference();
        const std::string mistake = instance.check(results).mistake;
        if (!mistake.empty()) throw VisitFailure{Status::wrong, mistake};
      });
    } catch (const VisitFailure& failure) {
      EXPECT_EQ(failure.status, Status::wrong);
      return failure.reason;
    }
    return "";
  }

 private:
  void make_inputs(std::uint64_t contents) {
    instance_->use_seed(contents_seed(1, 3, contents));
    instance_->workload().make_inputs();
  }

  CpuDevice device_;
  Case subject_;
  std::unique_ptr<Instance> instance_;
  at::Tensor result_;
  Prepared prepared_;
  std::unique_ptr<TimedLaunches> timed_;
};

void expect_words(const std::string& reason, const std::string& words) {
  EXPECT_NE(reason.find(words), std::string::npos) << "'" << reason << "'";
}

TEST(TimedLaunches, OfHonestOnesNothingIsTold) { EXPECT_EQ(Scene().visit(10, 4), ""); }

TEST(TimedLaunches, OneThatLeavesItsResultsAsTheyWereDidNotDoItsWork) {
  for (const int skipped : {4, 5}) {  // the repeated one, and another
    Scene scene;
    int launches = 0;
    scene.compute = [&](const at::Tensor& x, at::Tensor& result) {
      if (!scene.is_timed || launches++ != skipped) result.copy_(x.clamp_min(0));
    };
    expect_words(scene.visit(10, 4),
                 "a timed launch did not do its work: 4000 bytes of its results were not written");
  }
}

TEST(TimedLaunches, OneThatGivesAnEarlierResultDidNotDoItsWork) {
  for (const int repeated : {4, 9}) {
    Scene scene;
    at::Tensor kept;
    int launches = 0;
    scene.compute = [&](const at::Tensor& x, at::Tensor& result) {
      const bool is_stale = scene.is_timed && launches++ == 4;
      result.copy_(is_stale ? kept : x.clamp_min(0));
      if (!is_stale) kept = result.clone();
    };
    expect_words(scene.visit(10, repeated), "it gave the results of a launch on other inputs");
  }
}

/// relu of one number is 0 for about half of the inputs; here it is 0 or -0.
TEST(TimedLaunches, OfFewResultsThatVaryEqualOnesAreChance) {
  Scene scene("relu elements=1 dtype=float32");
  int launches = 0, zeros = 0;
  scene.compute = [&](const at::Tensor& x, at::Tensor& result) {
    result.copy_(x.clamp_min(0));
    const bool is_zero = result.item<float>() == 0;
    zeros += scene.is_timed && is_zero;
    if (is_zero && launches++ % 3 == 0) result.neg_();
  };
  EXPECT_EQ(scene.visit(20, 4), "");
  EXPECT_GT(zeros, 4);
}

TEST(TimedLaunches, OneOfFewResultsThatGivesAnEarlierResultDidNotDoItsWork) {
  Scene scene("gelu elements=1 dtype=float32");
  at::Tensor kept;
  int launches = 0;
  scene.compute = [&](const at::Tensor& x, at::Tensor& result) {
    const bool is_stale = scene.is_timed && launches++ == 4;
    result.copy_(is_stale ? kept : at::gelu(x));
    if (!is_stale) kept = result.clone();
  };
  expect_words(scene.visit(10, 9), "it gave the results of a launch on other inputs");
}

TEST(TimedLaunches, OneThatKeepsAResultForEverIsFoundByTheReference) {
  Scene scene;
  at::Tensor kept;
  scene.compute = [&](const at::Tensor& x, at::Tensor& result) {
    if (!kept.defined()) kept = x.clamp_min(0).clone();
    result.copy_(kept);
  };
  expect_words(scene.visit(10, 4), "a launch gave the results of a launch on other inputs: ");
}

/// relu of 1,000 numbers that every launch has from a file.
Case recorded_case(const SourceFolder& folder) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    const float value = float(i % 17) - 5;
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  TensorHash hash;
  hash.add(bytes);
  Declaration declaration;
  declaration.args = {{"self", "file('x')[1000]", Argument::Role::input, ""}};
  declaration.recorded = {{"x", "", folder.write("x", bytes), 0, "float32", {1000}, hash.text()}};
  Case subject;
  subject.name = subject.op = "aten::relu";
  subject.backend = "libtorch";
  subject.id = "aten::relu/libtorch";
  subject.params = {{"dtype", "float32"}, {"direction", "forward"}};
  subject.declaration = std::make_shared<const Declaration>(declaration);
  return subject;
}

TEST(TimedLaunches, OfEqualInputsEqualResultsAreNoStaleOnesThoughLaunchesVary) {
  const SourceFolder folder;
  Scene scene(recorded_case(folder));
  int launches = 0;
  scene.compute = [&](const at::Tensor& x, at::Tensor& result) {
    result.copy_(x.clamp_min(0) * (launches++ % 2 == 0 ? 1 : 1 + 1e-7));
  };
  EXPECT_EQ(scene.visit(10, 4), "");
}

TEST(TimedLaunches, OfEqualInputsAResultKeptForEverIsFoundOnOthers) {
  const SourceFolder folder;
  Scene scene(recorded_case(folder));
  at::Tensor kept;
  scene.compute = [&](const at::Tensor& x, at::Tensor& result) {
    if (!kept.defined()) kept = x.clamp_min(0).clone();
    result.copy_(kept);
  };
  expect_words(scene.visit(10, 4), "a launch gave the results of a launch on other inputs: ");
}

TEST(TimedLaunches, OneThatChangesItsInputsIsTold) {
  Scene scene;
  scene.compute = [&](const at::Tensor& x, at::Tensor& result) {
    result.copy_(x.clamp_min(0));
    if (scene.is_timed) x.tensor_data()[17] += 1;
  };
  expect_words(scene.visit(10, 4), "a launch changed an input that it should only read");
}

TEST(TimedLaunches, OneThatIsDoneTooLateIsTold) {
  Scene scene;
  at::Tensor left_x;
  at::Tensor left_result;
  scene.compute = [&](const at::Tensor& x, at::Tensor& result) {
    if (!scene.is_timed) return void(result.copy_(x.clamp_min(0)));
    left_x = x.clone();
    left_result = result;
  };
  scene.settle = [&] {
    if (left_x.defined()) left_result.copy_(left_x.clamp_min(0));
  };
  expect_words(scene.visit(10, 4), "results of a launch appeared after it was over");
}

TEST(TimedLaunches, OneThatStillWritesItsResultsIsTold) {
  EXPECT_EQ(Scene().watch(nullptr), "");
  expect_words(Scene().watch([](at::Tensor& result) { result.fill_(1); }),
               "results of a launch appeared after it was over");
}

TEST(TimedLaunches, VaryingResultsAreFineWithinTheBoundsAndWrongBeyondThem) {
  for (const bool is_far : {false, true}) {
    Scene scene("gelu elements=1000 dtype=float32");
    int launches = 0;
    scene.compute = [&](const at::Tensor& x, at::Tensor& result) {
      const double by = is_far && scene.is_timed ? 1e-2 : 2e-7;
      result.copy_(at::gelu(x.to(at::kDouble)) * (1 + by * (++launches % 2)));
    };
    const std::string reason = scene.visit(10, 4);
    if (is_far)
      expect_words(reason, "computed something else than an untimed one on the same inputs");
    else
      EXPECT_EQ(reason, "");
  }
}

}  // namespace
}  // namespace plumbline
