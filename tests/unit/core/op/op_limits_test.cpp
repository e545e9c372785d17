/// What backends take, and what is said about it: a hand-made op with known answers.
#include "core/op/op_limits.h"

#include <gtest/gtest.h>

#include "core/expression/expression.h"
#include "core/op/library_settings.h"

namespace plumbline {
namespace {

using Types = std::vector<DType>;

OpSpec planted() {
  OpSpec spec;
  spec.name = "planted";
  spec.params = {{"cols", ParamKind::integer, std::nullopt, 1, {}, ""},
                 {"turned", ParamKind::boolean, false, std::nullopt, {}, ""},
                 library_param("tf32")};
  spec.dtypes = {DType::float64, DType::float32, DType::float16};
  spec.has_backward = true;
  spec.reduction_length = "direction == 'forward' ? cols : 4 * cols";
  spec.tolerance_factor = 3;
  spec.limits = {
      {"custom", "dtype == 'float16'", "only float16"},
      {"custom", "not turned", "not turned"},
      {"cudnn", "dtype != 'float32' or library.tf32", "needs tf32"},
      {"cudnn", "dtype == 'float16' or direction == 'forward'", "float16 backward"},
      {"libtorch", "device.kind == 'cuda' or cols < 8", "short rows on a CPU"},
      row_limit(16, "turned"),
  };
  return spec;
}

std::string beyond(const char* backend, Params params, const char* device = "cuda") {
  params.insert({{"dtype", "float16"}, {"direction", "forward"}, {"cols", std::int64_t{8}}});
  return beyond_limits(planted(), backend, params, device);
}

TEST(OpLimits, TheFirstThatDoesNotHoldIsTheReason) {
  EXPECT_EQ(beyond("custom", {}), "");
  EXPECT_EQ(beyond("custom", {{"dtype", "float32"}}), "only float16");
  EXPECT_EQ(beyond("custom", {{"dtype", "float64"}}), "only float16");
  EXPECT_EQ(beyond("custom", {{"turned", true}}), "not turned");
  EXPECT_EQ(beyond("custom", {{"dtype", "float32"}, {"turned", true}}), "only float16");
  EXPECT_EQ(beyond("custom", {{"cols", std::int64_t{17}}}),
            "these kernels hold rows of up to 16 elements in registers");
  EXPECT_EQ(beyond("custom", {{"cols", std::int64_t{16}}}), "");
}

TEST(OpLimits, ParametersThatAreMissingAreAtTheirDefault) {
  EXPECT_EQ(beyond("cudnn", {{"dtype", "float32"}}), "needs tf32");
  EXPECT_EQ(beyond("cudnn", {{"dtype", "float32"}, {"library.tf32", true}}), "");
}

TEST(OpLimits, DevicesHaveTheirOwn) {
  EXPECT_EQ(beyond("libtorch", {}, "cpu"), "short rows on a CPU");
  EXPECT_EQ(beyond("libtorch", {}), "");
  EXPECT_EQ(beyond("libtorch", {{"cols", std::int64_t{7}}}, "cpu"), "");
  EXPECT_EQ(beyond("cudnn", {}, "cpu"),
            "cuDNN computes on NVIDIA GPUs only; --device cuda has one");
  EXPECT_EQ(beyond("custom", {{"dtype", "float32"}}, "cpu"), "only float16");
}

TEST(OpLimits, DtypesAreThoseThatDtypeAndDirectionAloneDoNotRefuse) {
  EXPECT_EQ(dtypes_of(planted(), "libtorch", "backward"), planted().dtypes);
  EXPECT_EQ(dtypes_of(planted(), "custom", "forward"), Types{DType::float16});
  EXPECT_EQ(dtypes_of(planted(), "cudnn", "forward"), planted().dtypes) << "tf32 decides of one";
  EXPECT_EQ(dtypes_of(planted(), "cudnn", "backward"), Types{DType::float16});
}

TEST(OpLimits, OnlyTheDirectionsThatThereAreAreOffered) {
  OpSpec spec = planted();
  const auto allowed = [&spec](const char* name) {
    for (const ParamSpec& param : params_of(spec))
      if (param.name == name) return param.allowed;
    return std::vector<std::string>{"no such parameter"};
  };
  EXPECT_EQ(allowed("direction"), (std::vector<std::string>{"forward", "backward"}));
  EXPECT_EQ(allowed("dtype"), (std::vector<std::string>{"float64", "float32", "float16"}));
  spec.has_backward = false;
  EXPECT_EQ(allowed("direction"), std::vector<std::string>{"forward"});
}

TEST(OpTolerance, TheExpressionThatIsShownIsWhatIsAllowed) {
  OpSpec spec = planted();
  for (const std::string exact : {"false", "direction == 'backward'"})
    for (const DType dtype : spec.dtypes)
      for (const char* direction : {"forward", "backward"})
        for (const bool tf32 : {false, true}) {
          if (tf32 && dtype != DType::float32) continue;
          spec.exact = exact;
          const Params params{{"cols", std::int64_t{1000}},
                              {"direction", direction},
                              {"dtype", std::string(info(dtype).name)},
                              {"library.tf32", tf32}};
          const BoundsInWords words = bounds_in_words(spec, dtype);
          const Bounds bounds = bounds_of(spec, params, dtype);
          EXPECT_DOUBLE_EQ(evaluate_number(words.rel_l2, params), bounds.rel_l2)
              << info(dtype).name << direction << tf32;
          EXPECT_DOUBLE_EQ(evaluate_number(words.element, params), bounds.element)
              << info(dtype).name << direction << tf32;
        }
}

TEST(OpTolerance, AllElementsOf16BitsAreJudgedMoreStrictlyThanEachAlone) {
  const Params params{{"cols", std::int64_t{4}}, {"direction", "forward"}, {"dtype", "float16"}};
  const double eps = 9.765625e-4, eps_of_sums = 1.1920928955078125e-7;
  const Bounds found = bounds_of(planted(), params, DType::float16);
  EXPECT_DOUBLE_EQ(found.rel_l2, eps + 3 * 2 * eps_of_sums);
  EXPECT_DOUBLE_EQ(found.element, 4 * 3 * (eps + 2 * eps_of_sums));
  EXPECT_LT(tolerance_of(planted(), params), 0.001);
  const Bounds declared = declared_bounds(DType::bfloat16, 1, 8, 1, 0);
  EXPECT_LT(declared.rel_l2, 0.01) << "1 % in all elements is wrong";
  EXPECT_LT(declared.element, 0.07);
}

TEST(OpTolerance, AResultThatIsFinerThanTheCaseIsJudgedByItsOwnType) {
  const Params params{{"cols", std::int64_t{4}}, {"direction", "forward"}, {"dtype", "float16"}};
  EXPECT_DOUBLE_EQ(bounds_of(planted(), params, DType::float32).rel_l2,
                   3 * 3 * 1.1920928955078125e-7);
  EXPECT_EQ(bounds_of(planted(), params, DType::float64).rel_l2,
            bounds_of(planted(), params, DType::float16).rel_l2)
      << "converted to be compared";
}

TEST(OpTolerance, CopiesAndIntegersAreExact) {
  OpSpec spec = planted();
  EXPECT_EQ(bounds_in_words(spec, DType::int8).rel_l2, "exact");
  spec.exact = "true";
  EXPECT_EQ(bounds_in_words(spec, DType::float16).element, "exact");
  const Params params{{"cols", std::int64_t{4}}, {"direction", "forward"}, {"dtype", "float16"}};
  EXPECT_EQ(bounds_of(spec, params, DType::float16).element, 0);
}

}  // namespace
}  // namespace plumbline
