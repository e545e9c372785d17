#include "worker/verify/kept_results.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scripted_device.h"

namespace plumbline {
namespace {

constexpr std::uint64_t kAmple_bytes = 1 << 20;

class KeptResultsTest : public testing::Test {
 protected:
  KeptResultsTest() : file_(memfd_create("test", 0)) {}
  ~KeptResultsTest() override { close(file_); }

  /// A worker's use of the file, and whether it had to compute.
  Tensors get(KeptResults& kept, std::uint64_t key, const Tensors& results, double took_s = 10) {
    has_computed_ = false;
    return kept.get({0, key}, device_, false, [&] {
      has_computed_ = true;
      device_.pass(took_s);
      return results;
    });
  }

  std::uint64_t file_bytes() const {
    struct stat status {};
    fstat(file_, &status);
    return std::uint64_t(status.st_size);
  }

  int file_;
  ScriptedDevice device_;
  bool has_computed_ = false;
};

const at::Tensor kMatrix = at::arange(15, at::kDouble).reshape({3, 5});
const at::Tensor kFlags = at::arange(3, at::kInt) > 1;  // three bytes, padded
const at::Tensor kScalar = at::arange(7, at::kLong)[6];

TEST_F(KeptResultsTest, AnotherWorkerReadsThemWithTheirTypesAndShapes) {
  KeptResults first(file_, kAmple_bytes);
  get(first, 1, {kMatrix, kFlags, kScalar});
  EXPECT_TRUE(has_computed_);
  get(first, 2, {kMatrix.t()});
  KeptResults second(file_, kAmple_bytes);
  EXPECT_EQ(second.size(), 2u);
  const Tensors read = get(second, 1, {});
  EXPECT_FALSE(has_computed_);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_TRUE(at::equal(read[0], kMatrix));
  EXPECT_TRUE(at::equal(read[1], kFlags));
  EXPECT_TRUE(at::equal(read[2], kScalar));
  EXPECT_EQ(read[2].dim(), 0);
  EXPECT_TRUE(at::equal(get(second, 2, {})[0], kMatrix.t()));
  get(second, 3, {kScalar});
  EXPECT_TRUE(has_computed_) << "nobody kept that";
}

TEST_F(KeptResultsTest, ReadResultsAreTheReadersOwn) {
  KeptResults first(file_, kAmple_bytes), second(file_, kAmple_bytes);
  get(first, 1, {kMatrix});
  get(first, 1, {})[0].zero_();
  EXPECT_TRUE(at::equal(get(first, 1, {})[0], kMatrix));
}

TEST_F(KeptResultsTest, WhatIsComputedSoonerThanReadIsNotKept) {
  KeptResults kept(file_, kAmple_bytes);
  get(kept, 1, {kMatrix}, 1e-9);
  EXPECT_EQ(kept.size(), 0u);
  EXPECT_EQ(file_bytes(), 0u);
}

TEST_F(KeptResultsTest, WhatAWorkerLeftHalfWrittenIsOverwritten) {
  KeptResults first(file_, kAmple_bytes);
  get(first, 1, {kMatrix});
  const std::uint64_t whole = file_bytes();
  get(first, 2, {at::arange(100, at::kDouble)});
  const std::vector<char> nothing(32);
  ASSERT_EQ(pwrite(file_, nothing.data(), nothing.size(), off_t(whole)), 32);  // no header yet
  KeptResults second(file_, kAmple_bytes);
  EXPECT_EQ(second.size(), 1u);
  get(second, 3, {kScalar});
  KeptResults third(file_, kAmple_bytes);
  EXPECT_EQ(third.size(), 2u);
  EXPECT_TRUE(at::equal(get(third, 3, {})[0], kScalar));
  EXPECT_TRUE(at::equal(get(third, 1, {})[0], kMatrix));
}

TEST_F(KeptResultsTest, TheFileStaysWithinItsLimit) {
  KeptResults kept(file_, 300);
  get(kept, 1, {kMatrix});  // 40 + 32 + 120 bytes
  get(kept, 2, {kMatrix});
  EXPECT_EQ(kept.size(), 1u);
  EXPECT_LE(file_bytes(), 300u);
  get(kept, 2, {kMatrix});
  EXPECT_TRUE(has_computed_);
}

TEST_F(KeptResultsTest, WithoutAFileEverythingIsComputed) {
  KeptResults kept(-1, kAmple_bytes);
  get(kept, 1, {kMatrix});
  get(kept, 1, {kMatrix});
  EXPECT_TRUE(has_computed_);
}

TEST_F(KeptResultsTest, WhatComputingThrowsPasses) {
  KeptResults kept(file_, kAmple_bytes);
  EXPECT_THROW(kept.get({0, 1}, device_, false,
                        []() -> Tensors { throw std::runtime_error("no reference"); }),
               std::runtime_error);
  EXPECT_EQ(kept.size(), 0u);
}

}  // namespace
}  // namespace plumbline
