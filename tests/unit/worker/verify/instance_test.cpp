/// What a visit accepts as right: results of ill-conditioned problems, as far as rounding explains
/// them, and nothing that is wrong.
#include "worker/verify/instance.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include "backends/libtorch/libtorch.h"
#include "device/cpu/cpu_device.h"
#include "support/catalogue_case.h"

namespace plumbline {
namespace {

constexpr std::int64_t kSeed = 1;

/// A case launched once by LibTorch on the CPU.
class Launched {
 public:
  explicit Launched(const std::string& text, std::int64_t seed = kSeed)
      : case_(case_of(text)), seed_(seed) {
    device_.place(1);
    const Instance instance = expecting();
    expected_ = instance.expected();
    const Prepared prepared = instance.workload().prepare();
    prepared.launch();
    results_ = prepared.results();
  }

  const Case& subject() const { return case_; }
  const Tensors& results() const { return results_; }
  const Tensors& expected() const { return expected_; }
  bool was_widened() const { return was_widened_; }

  std::string mistake_in(const Tensors& results) { return checked(results).mistake; }

  Check checked(const Tensors& results) {
    Instance instance = expecting();
    Check check = instance.check(results);
    was_widened_ = instance.has_widened();
    return check;
  }

  /// An instance with inputs and their reference.
  Instance expecting() {
    Instance instance(case_, device_, false, seed_);
    instance.workload().make_inputs();
    instance.expect_reference();
    return instance;
  }

  /// Results with no rounding error, times a factor.
  Tensors scaled(double factor) const {
    Tensors wrong;
    for (std::size_t i = 0; i < expected_.size(); ++i)
      wrong.push_back((expected_[i] * factor).to(results_[i].scalar_type()));
    return wrong;
  }

 private:
  CpuDevice device_;
  Case case_;
  std::int64_t seed_;
  Tensors results_, expected_;
  bool was_widened_ = false;
};

const char* const kIllConditioned[] = {
    "layer_norm rows=4 cols=1 affine=false dtype=float16",
    "layer_norm rows=100 cols=2 affine=false direction=backward dtype=bfloat16",
    "rms_norm rows=1 cols=1 direction=backward dtype=float32",
    "group_norm n=2 c=64 h=1 w=1 direction=backward dtype=float32",
    "group_norm n=1 c=2 h=1 w=1 groups=1 affine=false direction=backward dtype=float64",
    "batch_norm n=2 c=64 h=1 w=1 direction=backward dtype=float64",
    "sdpa batch=1 heads=2 q_len=7 kv_len=1 head_dim=64 direction=backward dtype=bfloat16",
    "cross_entropy rows=1 classes=2 reduction=none direction=backward dtype=bfloat16",
    "log_softmax rows=1 cols=2 direction=backward dtype=float16",
    "adamw elements=1 tensors=256 dtype=float32",
    "layer_norm rows=100 cols=2 direction=backward dtype=bfloat16",
    "layer_norm rows=100 cols=3 direction=backward dtype=float16",
    ("rnn batch=1 bidirectional=true cell=tanh hidden=1 input=1009 layers=2 steps=3 "
     "direction=backward dtype=float32"),
    ("rnn batch=1 bidirectional=true cell=gru hidden=1 input=1009 layers=2 steps=3 "
     "direction=backward dtype=float16"),
    ("rnn batch=1 bidirectional=true cell=lstm hidden=1 input=1009 layers=2 steps=3 "
     "direction=backward dtype=float16"),
};

/// Further inputs decide about marginal results (worker/verify/verifier.h).
TEST(Instance, RightResultsOfProblemsThatCancelAreRightOrMarginal) {
  int widened = 0;
  int marginal = 0;
  for (const char* text : kIllConditioned)
    for (const std::int64_t seed : {1, 2, 3}) {
      SCOPED_TRACE(text);
      Launched launched(text, seed);
      const Check check = launched.checked(launched.results());
      EXPECT_LT(check.excess, check.mistake.empty() ? 1.0001 : kMarginal) << check.mistake;
      marginal += check.mistake.empty() ? 0 : 1;
      widened += launched.was_widened();
    }
  EXPECT_GT(widened, 10) << "these are no hard problems";
  EXPECT_LE(marginal, 2);
}

const char* const kOrdinary[] = {
    "softmax rows=13 cols=257",
    "softmax rows=13 cols=257 direction=backward",
    "log_softmax rows=13 cols=257",
    "log_softmax rows=13 cols=257 direction=backward",
    "layer_norm rows=17 cols=768",
    "layer_norm rows=17 cols=768 direction=backward",
    "rms_norm rows=17 cols=768 direction=backward",
    "batch_norm n=3 c=5 h=7 w=6",
    "batch_norm n=3 c=5 h=7 w=6 direction=backward",
    "group_norm n=2 c=64 h=5 w=7 direction=backward",
    "gemm m=17 n=33 k=65",
    "gemm m=17 n=33 k=65 direction=backward",
    "conv2d n=2 c=3 h=11 w=9 k=5 r=3 s=3 direction=backward",
    "sdpa batch=2 heads=3 q_len=17 kv_len=17 head_dim=16",
    "sdpa batch=2 heads=3 q_len=17 kv_len=17 head_dim=16 direction=backward",
    "cross_entropy rows=37 classes=101",
    "cross_entropy rows=37 classes=101 direction=backward",
    "gelu elements=1001",
    "gelu elements=1001 direction=backward",
    "bias_gelu rows=13 cols=77 direction=backward",
    "swiglu elements=1001 direction=backward",
    "sum rows=37 cols=53 axis=cols",
    "adamw elements=1001",
    "max_pool2d n=2 c=5 h=8 w=13 kernel=3 stride=2 padding=1 direction=backward",
};

TEST(Instance, NoConditioningExcusesWrongResultsOfOrdinaryProblems) {
  for (const char* text : kOrdinary)
    for (const std::string dtype : {"float64", "float32", "float16", "bfloat16"}) {
      Launched launched(std::string(text) + " dtype=" + dtype);
      SCOPED_TRACE(std::string(text) + " " + dtype);
      EXPECT_EQ(launched.mistake_in(launched.results()), "");
      const bool is_backward = std::string(text).find("backward") != std::string::npos;
      const bool rounds_twice =
          dtype == "bfloat16" && (is_backward || launched.subject().op == "cross_entropy");
      const double wrong = rounds_twice || dtype == "bfloat16" ? 1.03 : 1.01;
      EXPECT_NE(launched.mistake_in(launched.scaled(wrong)), "");
      EXPECT_NE(launched.mistake_in(launched.scaled(0)), "") << "nothing";
      EXPECT_NE(launched.mistake_in(Launched(std::string(text) + " dtype=" + dtype, 2).results()),
                "")
          << "of other inputs";
      Tensors shifted = launched.results();
      shifted[0] = shifted[0].roll(1);
      if (shifted[0].numel() > 1) {
        EXPECT_NE(launched.mistake_in(shifted), "") << "moved by one";
      }
      EXPECT_FALSE(launched.was_widened());
    }
}

TEST(Instance, ZerosWhereRoundingLeavesNoneAreNoMistakeButOthersAre) {
  Launched launched("layer_norm rows=4 cols=1 affine=false dtype=float32");
  EXPECT_EQ(launched.mistake_in({at::zeros_like(launched.results()[0])}), "");
  EXPECT_NE(launched.mistake_in({at::zeros_like(launched.results()[0]) + 0.01}), "");
}

TEST(Instance, WhatWasFoundBeforeHoldsWithoutMore) {
  Launched launched("layer_norm rows=4 cols=1 affine=false dtype=float32");
  Instance instance = launched.expecting();
  const Tensors rounded{at::zeros_like(instance.expected()[0]).to(at::kFloat) + 1e-5};
  EXPECT_NE(instance.check_as_before(rounded).mistake, "");
  EXPECT_EQ(instance.check(rounded).mistake, "");
  EXPECT_EQ(instance.check_as_before(rounded).mistake, "");
}

}  // namespace
}  // namespace plumbline
