#include "worker/verify/verification.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <limits>

namespace plumbline {
namespace {

constexpr double kTolerance = 1e-3;

at::Tensor values(std::int64_t count) { return at::linspace(-1, 1, count, at::kDouble); }

const Allowance kAllowed{[](at::ScalarType) { return Bounds{kTolerance, 4 * kTolerance}; }};

Check check_one(const at::Tensor& result, const at::Tensor& expected) {
  return check_results({result}, {expected}, kAllowed);
}

TEST(Verification, RoundingToTheTypeIsNoMistake) {
  const at::Tensor exact = values(10000);
  const Check check = check_one(exact.to(at::kHalf), exact);
  EXPECT_EQ(check.mistake, "");
  EXPECT_GT(check.error_rel_l2, 0);
  EXPECT_LT(check.error_rel_l2, 3e-4);
}

TEST(Verification, AllElementsTogetherMayHaveLessSlackThanEach) {
  const at::Tensor exact = at::full({10000}, 1.0, at::kDouble);
  Allowance allowed = kAllowed;
  allowed.slack = {at::full({10000}, 0.08, at::kDouble)};
  allowed.slack_together = 1.0 / 16;  // 0.005, and the tolerance of 0.001
  at::Tensor few = exact.clone();
  few.slice(0, 0, 10) += 0.05;
  EXPECT_EQ(check_results({few}, {exact}, allowed).mistake, "");
  EXPECT_NE(check_results({exact + 0.05}, {exact}, allowed).mistake, "");
  allowed.slack_together = 1;
  EXPECT_EQ(check_results({exact + 0.05}, {exact}, allowed).mistake, "");
}

TEST(Verification, ErrorsAreTakenInUnitsInTheLastPlaceOfTheExpectedElement) {
  // 3 lies in the binade of 2: there, neighbours are 2^-9 apart in float16, 2^-6 in bfloat16 and
  // 2^-22 in float32. So 2^-9 is 1, 1/8 and 8192 of these spacings.
  const at::Tensor exact = at::full({8}, 3.0, at::kDouble);
  at::Tensor result = exact.clone();
  result[5] += 0x1p-9;
  EXPECT_EQ(check_one(result.to(at::kHalf), exact).error_max_ulp, 1);
  EXPECT_EQ(check_one(result.to(at::kFloat), exact).error_max_ulp, 8192);
  result[5] = 3 + 0x1p-6;
  EXPECT_EQ(check_one(result.to(at::kBFloat16), exact).error_max_ulp, 1);
  EXPECT_EQ(check_one(exact.to(at::kFloat), exact).error_max_ulp, 0);
}

TEST(Verification, UnitsInTheLastPlaceEndAtTheSubnormals) {
  const at::Tensor exact = at::zeros({4}, at::kDouble);
  at::Tensor result = exact.clone();
  result[1] = 0x1p-24;  // float16's smallest number
  EXPECT_EQ(check_one(result.to(at::kHalf), exact).error_max_ulp, 1);
}

/// Softmax over 128,256 columns: most results lie near float16's smallest numbers, which are 2^-24
/// apart.
TEST(Verification, TheLimitThatWasAppliedIsToldWhereTheTypesSmallestNumbersAreCoarse) {
  const at::Tensor exact = at::full({1000}, 8e-6, at::kDouble);
  const Check coarse = check_one((exact * 1.003).to(at::kHalf), exact);
  EXPECT_EQ(coarse.mistake, "");
  EXPECT_TRUE(coarse.needs_subnormals);
  EXPECT_GT(coarse.error_rel_l2, kTolerance);
  EXPECT_NEAR(coarse.allowed_rel_l2, kTolerance + 0x1p-24 / 8e-6, 1e-9);
  const Check fine = check_one(exact.to(at::kFloat), exact);
  EXPECT_FALSE(fine.needs_subnormals);
  EXPECT_NEAR(fine.allowed_rel_l2, kTolerance, 1e-9);
  EXPECT_TRUE(
      check_one((exact * 1.02).to(at::kHalf), exact).mistake.starts_with("relative L2 error 0.0"));
}

TEST(Verification, RoundingToNearestIsOffByHalfAUnitAtMost) {
  const at::Tensor exact = values(10000);
  const double ulps = check_one(exact.to(at::kHalf), exact).error_max_ulp;
  EXPECT_LE(ulps, 0.501);  // LibTorch rounds to float32 first
  EXPECT_GT(ulps, 0.4);
}

TEST(Verification, OneWrongElementAmongMillionsIsFoundAndLocated) {
  const at::Tensor exact = values(1 << 21).reshape({2048, 1024});
  at::Tensor result = exact.to(at::kFloat);
  result[1234][567] += 0.02;  // the relative L2 error stays at 2e-5
  const Check check = check_one(result, exact);
  EXPECT_LT(check.error_rel_l2, kTolerance);
  EXPECT_TRUE(
      check.mistake.starts_with("1 of 2097152 elements are off, the worst at [1234, 567]: "))
      << check.mistake;
}

TEST(Verification, AScaleThatIsSlightlyWrongIsFound) {
  const at::Tensor exact = values(1000);
  EXPECT_TRUE(check_one(exact * 1.002, exact).mistake.starts_with("relative L2 error 0.002"));
  EXPECT_EQ(check_one(exact * 1.0005, exact).mistake, "");
}

TEST(Verification, PoisonThatWasNeverOverwrittenIsFound) {
  const at::Tensor exact = values(1000);
  at::Tensor result = exact.to(at::kFloat);
  result[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(check_one(result, exact).mistake.find("the worst at [7]: nan instead of"),
            std::string::npos);
}

TEST(Verification, InfinitiesMayStandWhereTheReferenceHasThem) {
  at::Tensor exact = values(100);
  exact[3] = -std::numeric_limits<double>::infinity();
  exact[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(check_one(exact.to(at::kFloat), exact).mistake, "");
  at::Tensor finite = exact.to(at::kFloat);
  finite[3] = -1e30;
  EXPECT_NE(check_one(finite, exact).mistake, "");
}

TEST(Verification, NumbersBelowTheSmallestOfTheTypeMayVanish) {
  const at::Tensor exact = at::full({1000}, 7.9e-8, at::kDouble);  // between fp16's first two
  EXPECT_EQ(check_one(exact.to(at::kHalf), exact).mistake, "");
  EXPECT_NE(check_one(at::full({1000}, 4e-7, at::kHalf), exact).mistake, "");
}

TEST(Verification, AResultOfZerosIsRightOnlyWhereZerosAreExpected) {
  EXPECT_EQ(check_one(at::zeros({10}), at::zeros({10}, at::kDouble)).mistake, "");
  EXPECT_NE(check_one(at::full({10}, 1e-20), at::zeros({10}, at::kDouble)).mistake, "");
  EXPECT_NE(check_one(at::zeros({10}), values(10)).mistake, "");
}

/// The squares of such numbers are beyond float16.
TEST(Verification, AReferenceMayHaveTheTypeOfTheResult) {
  const at::Tensor expected = (values(10000) * 60000).to(at::kHalf);
  const Allowance exactly{[](at::ScalarType) { return Bounds{}; }};
  EXPECT_EQ(check_results({expected.clone()}, {expected}, exactly).mistake, "");
  at::Tensor result = expected.clone();
  result[7777] += 32;  // float16's spacing there
  const Check check = check_results({result}, {expected}, exactly);
  EXPECT_NE(check.mistake.find("1 of 10000 elements"), std::string::npos) << check.mistake;
}

TEST(Verification, ShapesAndCountsHaveToBeRight) {
  EXPECT_EQ(check_one(values(6).reshape({2, 3}), values(6).reshape({3, 2})).mistake,
            "shape [2, 3] instead of [3, 2]");
  EXPECT_EQ(check_results({}, {values(3)}, kAllowed).mistake, "0 results instead of 1");
}

TEST(Verification, IntegersHaveToBeEqual) {
  const at::Tensor indices = at::arange(10, at::kLong);
  EXPECT_EQ(check_one(indices + 1, indices).mistake, "10 of 10 integers differ from the reference");
}

TEST(Verification, IndicesMayBeOthersWhereTheyNameEqualElementsOfAnInput) {
  // Rows of 5, 3, 5, 1: the two largest are the elements 0 and 2, in any order.
  const at::Tensor input = at::tensor({5.0, 3.0, 5.0, 1.0}).to(at::kFloat).repeat({3, 1});
  const at::Tensor largest = at::full({3, 2}, 5.0, at::kDouble);
  const at::Tensor expected = at::tensor({0, 2}, at::kLong).repeat({3, 1});
  const auto check = [&](std::int64_t first, std::int64_t second) {
    at::Tensor found = expected.clone();
    found[1][0] = first;
    found[1][1] = second;
    return check_results({largest, found}, {largest, expected}, kAllowed, {input});
  };
  EXPECT_EQ(check(0, 2).mistake + check(0, 2).doubt, "");
  EXPECT_EQ(check(2, 0).mistake, "");
  EXPECT_EQ(check(2, 0).doubt,
            "2 of 6 integers differ from the reference, which ties among the values explain");
  EXPECT_NE(check(0, 1).mistake, "") << "names 3";
  EXPECT_NE(check(0, 0).mistake, "") << "names one element twice";
  EXPECT_NE(check(0, 4).mistake, "") << "names none";
  EXPECT_NE(check(-1, 2).mistake, "") << "names none";
}

TEST(Verification, TheIndexOfALargestElementMayBeThatOfAnotherAsLarge) {
  const at::Tensor input = at::tensor({1.0, 7.0, 7.0, 2.0}).reshape({1, 4}).repeat({2, 1});
  const at::Tensor largest = at::full({2}, 7.0, at::kDouble);
  const at::Tensor expected = at::full({2}, 1, at::kLong);
  const auto check = [&](const at::Tensor& found) {
    return check_results({largest, found}, {largest, expected}, kAllowed, {input});
  };
  EXPECT_EQ(check(expected + 1).mistake, "");
  EXPECT_NE(check(expected + 2).mistake, "");
}

TEST(Verification, IndicesThatNameNoInputsValuesAreWrong) {
  const at::Tensor indices = at::arange(10, at::kLong);
  EXPECT_EQ(check_results({values(10), indices + 1}, {values(10), indices}, kAllowed).mistake,
            "result 1: 10 of 10 integers differ from the reference");
}

TEST(Verification, SlackLetsOneElementBeOffAndNoOther) {
  const at::Tensor exact = values(100);
  Allowance allowed = kAllowed;
  allowed.slack = {at::zeros({100}, at::kDouble)};
  allowed.slack[0][7] = 0.5;
  at::Tensor result = exact.clone();
  result[7] += 0.4;
  EXPECT_EQ(check_results({result}, {exact}, allowed).mistake, "");
  EXPECT_NE(check_one(result, exact).mistake, "");
  result[8] += 0.4;
  EXPECT_NE(check_results({result}, {exact}, allowed).mistake, "");
}

TEST(Verification, EmptyResultsAgree) {
  EXPECT_EQ(check_one(at::zeros({0}), at::zeros({0}, at::kDouble)).mistake, "");
}

TEST(Verification, ATypeOfFewerBytesIsAMistakeWhereNobodyAskedForIt) {
  Allowance strict = kAllowed;
  strict.may_be_narrower = false;
  const at::Tensor whole = at::arange(8), real = whole.to(at::kDouble);
  for (const bool is_strict : {false, true}) {
    const Allowance& allowed = is_strict ? strict : kAllowed;
    const auto mistake = [&](const at::Tensor& found, const at::Tensor& expected) {
      return check_results({found}, {expected}, allowed, {}).mistake;
    };
    EXPECT_EQ(mistake(whole.to(at::kByte), whole),
              is_strict ? "the result is Byte, the reference's Long" : "");
    EXPECT_EQ(mistake(whole.to(at::kInt), real),
              is_strict ? "the result is Int, the reference's of a floating-point type" : "");
    EXPECT_EQ(mistake(whole.to(at::kFloat), whole), "");
    EXPECT_EQ(mistake(whole, whole), "");
  }
}

}  // namespace
}  // namespace plumbline
