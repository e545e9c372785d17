/// How much rounding may change results: slack for results that cancel, and for no others.
#include "worker/verify/conditioning.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "backends/libtorch/libtorch.h"

namespace plumbline {
namespace {

constexpr double kShare = 1e-3;

at::Tensor values(std::int64_t count) { return at::linspace(0.5, 1.5, count, at::kDouble); }

at::Tensor once(const std::function<at::Tensor()>& computed, std::uint64_t seed = 1) {
  return disturbed(kShare, seed, [&] { return Tensors{computed()}; }).front();
}

at::Tensor slack_of(const at::Tensor& expected, const std::function<at::Tensor()>& computed) {
  Tensors slack;
  widen({expected}, {once(computed)}, kShare, slack);
  return slack.front();
}

TEST(Disturbed, EveryElementIsOffByAShareAndTheSameForTheSameSeed) {
  const at::Tensor x = values(1000);
  const at::Tensor off = once([&] { return x * 2; });
  const at::Tensor share = ((off - 2 * x) / (2 * x)).abs();
  EXPECT_LE(share.max().item<double>(), kShare * 1.001);
  EXPECT_GT(share.mean().item<double>(), kShare / 4);
  EXPECT_TRUE(at::equal(off, once([&] { return x * 2; })));
  EXPECT_FALSE(at::equal(off, once([&] { return x * 2; }, 2)));
  EXPECT_TRUE(at::equal(x * 2, values(1000) * 2)) << "and nothing once it is over";
}

TEST(Disturbed, InputsAreOffTooAndStayAsTheyAre) {
  const at::Tensor x = values(10);
  EXPECT_FALSE(at::equal(once([&] { return exact(x); }), x));
  EXPECT_TRUE(at::equal(x, values(10)));
}

TEST(Disturbed, WhatIsWrittenThroughAViewArrives) {
  const at::Tensor written = once([&] {
    const at::Tensor whole = at::zeros({4}, at::kDouble);
    whole.slice(0, 1, 3).copy_(at::ones({2}, at::kDouble));
    return whole;
  });
  EXPECT_EQ(written[0].item<double>(), 0);
  EXPECT_NEAR(written[1].item<double>(), 1, kShare * 3);
}

TEST(Disturbed, GradientsAre) {
  const at::Tensor x = values(10);
  const at::Tensor off = once([&] {
    const at::Tensor leaf = exact(x).clone().requires_grad_();
    return torch::autograd::grad({leaf * leaf}, {leaf}, {at::ones({10}, at::kDouble)}).front();
  });
  EXPECT_FALSE(at::equal(off, 2 * x));
  EXPECT_LT((off - 2 * x).abs().max().item<double>(), 20 * kShare);
}

TEST(Disturbed, WhatTheGradientReadsOfAResultIsTheDisturbedOne) {
  const at::Tensor x = at::full({10}, 9.0, at::kDouble);
  const auto gradient = [&] {  // 1 - tanh(x)^2, a difference that cancels
    const at::Tensor leaf = exact(x).clone().requires_grad_();
    return torch::autograd::grad({at::tanh(leaf)}, {leaf}, {at::ones({10}, at::kDouble)}).front();
  };
  EXPECT_LT(gradient().max().item<double>(), 1e-6);
  EXPECT_GT(once(gradient).abs().max().item<double>(), kShare / 10);
}

TEST(Widen, ADifferenceThatCancelsHasSlackAndNothingElse) {
  const at::Tensor x = values(1);
  const auto centred = [&] { return exact(x) - at::mean(exact(x)); };
  EXPECT_GT(slack_of(centred(), centred).item<double>(), kShare / 10) << "0 for whoever rounds";
  const at::Tensor many = values(1000);
  const auto product = [&] { return exact(many) * 3 * exact(many); };
  EXPECT_LT(slack_of(product(), product).max().item<double>(), 1e-9);
}

TEST(Widen, SumsThatHappenToBeSmallHaveSlackOfCoarseTypesAsAWhole) {
  const at::Tensor x = at::linspace(-1, 1.01, 10, at::kDouble);
  const auto sums = [&] { return exact(x).sum().reshape({1}); };  // 0.05 of numbers up to 1
  EXPECT_GT(slack_of(sums(), sums).item<double>(), 0);
  const at::Tensor y = values(10);
  const auto large = [&] { return exact(y).sum().reshape({1}); };
  EXPECT_EQ(slack_of(large(), large).item<double>(), 0);
}

TEST(Widen, AStepThatRoundingMayTakeExcusesThoseAtItAlone) {
  const at::Tensor x = at::linspace(-1, 1, 10001, at::kDouble);
  const auto step = [&] { return at::gt(exact(x), 0.0).to(at::kDouble) * 2; };
  Tensors slack;
  at::Tensor other = step() * (1 + kShare);
  other.slice(0, 5000, 5040).fill_(0);
  widen({step()}, {other}, kShare, slack);
  EXPECT_EQ(at::gt(slack.front(), 0.0).sum().item<std::int64_t>(), 39);
}

TEST(Widen, AWrongKernelsErrorIsNoneOfRounding) {
  // The sum of many terms, with a tenth of them missing.
  const at::Tensor x = values(1000);
  const auto summed = [&] { return exact(x).sum(); };
  EXPECT_LT(slack_of(summed(), summed).item<double>(), 0.01 * x.sum().item<double>());
}

}  // namespace
}  // namespace plumbline
