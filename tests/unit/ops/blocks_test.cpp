/// References computed block by block: they give the same results as at once, in bounded memory.
#include <ATen/ops/equal.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "against_reference.h"
#include "backends/reference_blocks.h"
#include "core/op/op_limits.h"

namespace plumbline {
namespace {

Tensors expected_in_blocks_of(std::int64_t bytes, const Case& subject) {
  const BlockLimit limit(bytes);
  Operands operands;
  return expected_of(subject, operands).expected;
}

double error_beside(const Tensors& found, const Tensors& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found[i].sizes(), expected[i].sizes());
    worst = std::max(worst, error_of(found[i].to(at::kDouble), expected[i].to(at::kDouble)));
  }
  return worst;
}

/// 8 bytes: each piece is a block, the smallest possible; 4 KB: several pieces per block.
TEST(ReferenceBlocks, EveryOpIsInSmallBlocksWhatItIsAtOnceAndTheSameBitsEachTime) {
  for (const TestProblem& problem : problems())
    for (const bool is_backward : {false, true}) {
      if (is_backward && !spec_of(problem.op).has_backward) continue;
      const std::vector<DType> dtypes = dtypes_of(spec_of(problem.op), "libtorch", "forward");
      const Case subject = case_of(problem, dtypes.front(), is_backward);
      const Tensors expected = expected_in_blocks_of(kBlockBytes, subject);
      for (const std::int64_t bytes : {8, 4096}) {
        SCOPED_TRACE(problem.op + " " + problem.params + (is_backward ? " backward " : " ") +
                     std::to_string(bytes));
        const Tensors found = expected_in_blocks_of(bytes, subject);
        ASSERT_EQ(found.size(), expected.size());
        EXPECT_LE(error_beside(found, expected), 1e-13);
        const Tensors again = expected_in_blocks_of(bytes, subject);
        for (std::size_t i = 0; i < found.size(); ++i)
          EXPECT_TRUE(at::equal(found[i], again[i])) << "other bits";
      }
    }
}

/// Counts the memory that LibTorch's CPU allocator holds on this thread.
class Held final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t,
                         c10::Device) override {
    now += bytes;
    most = std::max(most, now);
  }
  bool memoryProfilingEnabled() const override { return true; }
  std::int64_t now = 0, most = 0;
};

std::int64_t most_held(const std::function<void()>& body) {
  const auto held = std::make_shared<Held>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, held);
  body();
  return held->most;
}

/// Memory of a reference beyond its inputs and results; each of these exists twice while blocks are
/// joined.
std::int64_t working_bytes(const TestProblem& problem, bool is_backward, std::int64_t limit) {
  const Case subject = case_of(problem, DType::float64, is_backward);
  std::int64_t kept = 0;
  const std::int64_t most = most_held([&] {
    Operands operands;
    const BlockLimit small(limit);
    const Comparison comparison = expected_of(subject, operands);
    for (const Tensors& tensors : {comparison.inputs, comparison.expected})
      for (const at::Tensor& tensor : tensors) kept += 3 * std::int64_t(tensor.nbytes());
  });
  return most - kept;
}

/// Ops whose temporaries are many times their inputs. With blocks of 128 KiB, at most ten are held.
const std::vector<TestProblem> kLarge{
    {"sdpa", "batch=2 heads=4 kv_heads=2 q_len=311 kv_len=509 head_dim=8 causal=true"},
    {"conv2d", "n=3 c=4 h=61 w=53 k=2 r=9 s=9 padding=4"},
    {"avg_pool2d", "n=1 c=3 h=101 w=97 kernel=9 stride=1 padding=4 count_padding=false"},
    {"max_pool2d", "n=1 c=3 h=101 w=97 kernel=9 stride=1 padding=4"},
};

TEST(ReferenceBlocks, WhatAReferenceHoldsIsBoundedByTheLimitWhateverTheShape) {
  constexpr std::int64_t kLimit = 128 << 10, kHandful = 10;
  for (const TestProblem& problem : kLarge)
    for (const bool is_backward : {false, true}) {
      SCOPED_TRACE(problem.op + (is_backward ? " backward" : ""));
      EXPECT_LE(working_bytes(problem, is_backward, kLimit), kHandful * kLimit);
      EXPECT_GT(working_bytes(problem, is_backward, kBlockBytes), 3 * kHandful * kLimit)
          << "what the limit is for is not there";
    }
}

/// By definition, in long double, for some of the elements.
double error_of_transform(const at::Tensor& x, const at::Tensor& spectrum) {
  const std::int64_t n = x.size(1);
  double worst = 0;
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, n / 3, n / 2, n - 1}) {
    std::complex<long double> sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const long double angle =
          -2 * std::numbers::pi_v<long double> * (long double)(j * k % n) / (long double)n;
      const double* const value = x.const_data_ptr<double>() + 2 * j;
      sum += std::complex<long double>(value[0], value[1]) * std::polar(1.0L, angle);
    }
    const double* const found = spectrum.const_data_ptr<double>() + 2 * k;
    worst = std::max(worst, double(std::abs(std::complex<long double>(found[0], found[1]) - sum)));
  }
  return worst / std::sqrt(double(n));  // about the size of an element
}

TEST(ReferenceBlocks, TransformsOfLargePrimesNeedNoMatrixAndAreAsExactAsOthers) {
  for (const std::int64_t length : {1031, 30011, 2 * 15013, 1031 * 1033}) {
    SCOPED_TRACE(length);
    const TestProblem tested{"fft", "batch=1 length=" + std::to_string(length)};
    const Case subject = case_of(tested, DType::float64, false);
    Operands operands;
    Tensors found;
    const std::int64_t most = most_held([&] { found = expected_of(subject, operands).expected; });
    EXPECT_LE(most, 64 * 16 * length);
    EXPECT_LE(error_of_transform(operands.inputs[0], found[0]), 4e-15);
  }
}

/// <F x, g> = <x, F* g>, for a length that a matrix transforms, and for one that a chirp
/// transforms.
TEST(ReferenceBlocks, GradientsOfATransformAreItsAdjoint) {
  for (const std::string params :
       {"batch=2 length=97", "batch=2 length=2062", "batch=3 length=1031 transform=real"}) {
    SCOPED_TRACE(params);
    Operands operands;
    const Comparison backward =
        expected_of(case_of({"fft", params}, DType::float64, true), operands);
    const at::Tensor spectrum =
        expected_in_blocks_of(kBlockBytes, case_of({"fft", params}, DType::float64, false))[0];
    const double there = at::sum(spectrum * operands.output_gradient).item<double>();
    const double back = at::sum(operands.inputs[0].detach() * backward.expected[0]).item<double>();
    EXPECT_NEAR(there, back, 1e-9 * std::abs(there));
  }
}

}  // namespace
}  // namespace plumbline
