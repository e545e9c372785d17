/// What backends take, and what is told of it: an op made by hand whose answers are known.
#include "core/op_limits.h"

#include <gtest/gtest.h>

#include "core/expression.h"
#include "core/library_settings.h"

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
  const OpSpec spec = planted();
  for (const DType dtype : spec.dtypes)
    for (const char* direction : {"forward", "backward"})
      for (const bool tf32 : {false, true}) {
        if (tf32 && dtype != DType::float32) continue;
        const Params params{{"cols", std::int64_t{1000}},
                            {"direction", direction},
                            {"dtype", std::string(info(dtype).name)},
                            {"library.tf32", tf32}};
        EXPECT_DOUBLE_EQ(evaluate_number(tolerance_expression(spec, dtype), params),
                         tolerance_of(spec, params))
            << info(dtype).name << direction << tf32;
      }
  const Params short_rows{
      {"cols", std::int64_t{4}}, {"direction", "forward"}, {"dtype", "float16"}};
  EXPECT_DOUBLE_EQ(tolerance_of(spec, short_rows), 3 * (9.765625e-4 + 2 * 1.1920928955078125e-7));
}

}  // namespace
}  // namespace plumbline
