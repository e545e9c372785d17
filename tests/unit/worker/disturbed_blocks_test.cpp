/// References computed in blocks (backends/reference_blocks.h) are disturbed like others
/// (worker/verify/conditioning.h): in the forward direction, and when a gradient computes a block
/// again.
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sum.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "backends/libtorch/libtorch.h"
#include "backends/reference_blocks.h"
#include "worker/verify/conditioning.h"

namespace plumbline {
namespace {

constexpr std::int64_t kRows = 12;

/// A softmax of products, in place as in attention, and its gradients.
Tensors computed(const Tensors& given) {
  Tensors inputs;
  for (const at::Tensor& tensor : given) inputs.push_back(exact(tensor).requires_grad_());
  const at::Tensor result =
      in_row_blocks(8 * kRows, {inputs[0]}, {inputs[1]}, [](const Tensors& block) {
        const at::Tensor powers = at::matmul(block[0], block[1]).exp_();
        return at::matmul(powers, block[1].t()) / at::sum(powers, -1, /*keepdim=*/true);
      });
  Tensors all = torch::autograd::grad({at::sum(result * result)}, inputs);
  all.push_back(result.detach());
  return all;
}

double furthest(const Tensors& found, const Tensors& expected) {
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    most = std::max(most, ((found[i] - expected[i]).norm() / expected[i].norm()).item<double>());
  return most;
}

TEST(DisturbedBlocks, AreOffAsFarInManyBlocksAsInOne) {
  constexpr double kShare = 1e-4, kAlike = 4;
  const Tensors inputs{at::linspace(-1, 1, kRows * 5, at::kDouble).reshape({kRows, 5}),
                       at::linspace(1, -2, 5 * kRows, at::kDouble).reshape({5, kRows})};
  const Tensors expected = computed(inputs);
  const auto off = [&] { return disturbed(kShare, 7, [&] { return computed(inputs); }); };
  const double at_once = furthest(off(), expected);
  EXPECT_GT(at_once, kShare);
  const BlockLimit two_rows(std::int64_t{16} * kRows);
  EXPECT_LE(furthest(computed(inputs), expected), 1e-13);
  const Tensors found = off(), again = off();
  EXPECT_GT(furthest(found, expected), at_once / kAlike);
  EXPECT_LT(furthest(found, expected), at_once * kAlike);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(at::equal(found[i], again[i]));
}

}  // namespace
}  // namespace plumbline
