/// Every op of the catalogue: what its folder declares is consistent, and what LibTorch computes on
/// the CPU agrees with its reference within a tolerance that refuses wrong results.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "against_reference.h"

namespace plumbline {
namespace {

struct TestProblem {
  std::string op;
  Params params;
};

/// Small, odd sizes; together every parameter takes a value other than its default.
const std::vector<TestProblem> kProblems{
    {"add", {{"elements", 1001}}},
    {"conv2d", {{"n", 2}, {"c", 3}, {"h", 11}, {"w", 9}, {"k", 5}, {"r", 3}, {"s", 3}}},
    {"conv2d",
     {{"n", 2},
      {"c", 5},
      {"h", 9},
      {"w", 12},
      {"k", 7},
      {"r", 3},
      {"s", 2},
      {"padding", 2},
      {"layout", "nhwc"},
      {"bias", true}}},
    {"conv2d",
     {{"n", 1},
      {"c", 6},
      {"h", 13},
      {"w", 13},
      {"k", 9},
      {"r", 3},
      {"s", 3},
      {"stride", 2},
      {"padding", 1},
      {"groups", 3},
      {"bias", true}}},
    {"conv2d",  // depthwise, one output channel per input channel
     {{"n", 2},
      {"c", 8},
      {"h", 10},
      {"w", 7},
      {"k", 8},
      {"r", 5},
      {"s", 3},
      {"padding", 2},
      {"groups", 8},
      {"layout", "nhwc"}}},
    {"conv2d",  // depthwise, two output channels per input channel
     {{"n", 1}, {"c", 4}, {"h", 8}, {"w", 8}, {"k", 8}, {"r", 3}, {"s", 3}, {"groups", 4}}},
    {"conv2d",
     {{"n", 2},
      {"c", 4},
      {"h", 15},
      {"w", 17},
      {"k", 3},
      {"r", 3},
      {"s", 3},
      {"stride", 3},
      {"padding", 1},
      {"dilation", 2}}},
    {"conv2d", {{"n", 3}, {"c", 16}, {"h", 7}, {"w", 5}, {"k", 12}, {"r", 1}, {"s", 1}}},
    {"conv2d", {{"n", 1}, {"c", 3}, {"h", 7}, {"w", 7}, {"k", 2}, {"r", 7}, {"s", 7}}},
    {"gelu", {{"elements", 1001}}},
    {"gelu", {{"elements", 1001}, {"approximate", "tanh"}}},
    {"gemm", {{"m", 1}, {"n", 1}, {"k", 1}}},
    {"gemm", {{"m", 17}, {"n", 33}, {"k", 65}}},
    {"gemm", {{"m", 64}, {"n", 48}, {"k", 301}, {"transpose_a", true}}},
    {"gemm", {{"m", 5}, {"n", 31}, {"k", 96}, {"transpose_b", true}, {"epilogue", "bias"}}},
    {"gemm", {{"m", 8}, {"n", 9}, {"k", 10}, {"transpose_a", true}, {"transpose_b", true}}},
    {"gemm", {{"m", 13}, {"n", 7}, {"k", 29}, {"batch", 3}, {"transpose_a", true}}},
    {"gemm",
     {{"m", 6}, {"n", 11}, {"k", 40}, {"batch", 2}, {"transpose_b", true}, {"epilogue", "bias"}}},
    {"gemm", {{"m", 1}, {"n", 257}, {"k", 128}, {"epilogue", "bias"}}},
    {"layer_norm", {{"rows", 7}, {"cols", 33}}},
    {"layer_norm", {{"rows", 17}, {"cols", 768}}},
    {"layer_norm", {{"rows", 5}, {"cols", 100}, {"affine", false}, {"eps", 0.1}}},
    {"relu", {{"elements", 1001}}},
    {"sdpa", {{"batch", 2}, {"heads", 3}, {"q_len", 17}, {"kv_len", 17}, {"head_dim", 16}}},
    {"sdpa", {{"batch", 1}, {"heads", 2}, {"q_len", 9}, {"kv_len", 40}, {"head_dim", 64}}},
    {"sdpa", {{"batch", 3}, {"heads", 2}, {"q_len", 1}, {"kv_len", 129}, {"head_dim", 32}}},
    {"sdpa",
     {{"batch", 2},
      {"heads", 2},
      {"q_len", 33},
      {"kv_len", 33},
      {"head_dim", 24},
      {"causal", true}}},
    {"sdpa",
     {{"batch", 1}, {"heads", 1}, {"q_len", 7}, {"kv_len", 12}, {"head_dim", 8}, {"causal", true}}},
    {"sdpa",
     {{"batch", 1}, {"heads", 1}, {"q_len", 12}, {"kv_len", 7}, {"head_dim", 8}, {"causal", true}}},
    {"sdpa",
     {{"batch", 2},
      {"heads", 6},
      {"kv_heads", 2},
      {"q_len", 19},
      {"kv_len", 19},
      {"head_dim", 16},
      {"causal", true}}},
    {"silu", {{"elements", 1001}}},
    {"softmax", {{"rows", 13}, {"cols", 257}}},
    {"softmax", {{"rows", 3}, {"cols", 4099}}},
    {"softmax", {{"rows", 13}, {"cols", 257}, {"layout", "transposed"}}},
    {"sum", {{"rows", 37}, {"cols", 53}, {"axis", "rows"}}},
    {"sum", {{"rows", 37}, {"cols", 53}, {"axis", "cols"}}},
    {"sum", {{"rows", 3}, {"cols", 4099}, {"axis", "cols"}}},
    {"sum", {{"rows", 37}, {"cols", 53}, {"axis", "all"}}},
};

std::string text_of(const TestProblem& problem) {
  return case_id(problem.op, "libtorch", problem.params);
}

class OpTest : public testing::TestWithParam<std::tuple<std::size_t, std::string_view>> {
 protected:
  void SetUp() override {
    const auto& dtypes = spec_of(problem().op).dtypes;
    ASSERT_NE(std::ranges::find(dtypes, dtype()), dtypes.end());
  }
  static const TestProblem& problem() { return kProblems[std::get<0>(GetParam())]; }
  static DType dtype() { return dtype_named(std::get<1>(GetParam())).value(); }
  static Comparison compare(bool is_backward) {
    return against_reference(case_of(problem().op, problem().params, dtype(), is_backward));
  }
};

void expect_agreement(const Comparison& comparison, DType dtype) {
  ASSERT_EQ(comparison.results.size(), comparison.expected.size());
  for (std::size_t i = 0; i < comparison.results.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    ASSERT_EQ(comparison.results[i].sizes(), comparison.expected[i].sizes());
    EXPECT_EQ(dtype_of(comparison.results[i].scalar_type()), dtype);
    EXPECT_LE(error_of(comparison.results[i], comparison.expected[i]), comparison.tolerance);
  }
}

TEST_P(OpTest, ForwardAgreesWithTheReference) {
  SCOPED_TRACE(text_of(problem()));
  expect_agreement(compare(/*is_backward=*/false), dtype());
}

TEST_P(OpTest, GradientsAgreeWithTheReference) {
  SCOPED_TRACE(text_of(problem()));
  if (!spec_of(problem().op).has_backward) return;
  expect_agreement(compare(/*is_backward=*/true), dtype());
}

TEST_P(OpTest, WrongResultsAreOutsideTheTolerance) {
  SCOPED_TRACE(text_of(problem()));
  const double wrong_scale = dtype() == DType::bfloat16 ? 1.1 : 1.01;
  for (const bool is_backward : {false, true}) {
    if (is_backward && !spec_of(problem().op).has_backward) continue;
    const Comparison comparison = compare(is_backward);
    for (const at::Tensor& expected : comparison.expected) {
      EXPECT_GT(error_of(expected * wrong_scale, expected), comparison.tolerance)
          << "a wrong factor would pass";
      at::Tensor incomplete = expected.clone().reshape({-1});
      const std::int64_t start = incomplete.numel() / 3;
      incomplete.slice(0, start, start + (incomplete.numel() + 9) / 10).zero_();
      EXPECT_GT(error_of(incomplete.reshape(expected.sizes()), expected), comparison.tolerance)
          << "a missing tenth would pass";
      if (dtype() != DType::float32 || expected.numel() < 10) continue;
      EXPECT_GT(error_of(expected.to(at::kBFloat16), expected), 10 * comparison.tolerance)
          << "a result rounded to bfloat16 would pass as float32";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, OpTest,
                         testing::Combine(testing::Range(std::size_t{0}, kProblems.size()),
                                          testing::Values("float64", "float32", "float16",
                                                          "bfloat16")),
                         [](const auto& tested) {
                           const std::size_t index = std::get<0>(tested.param);
                           return kProblems[index].op + "_" + std::to_string(index) + "_" +
                                  std::string(std::get<1>(tested.param));
                         });

TEST(OpCatalogue, EveryOpHasADefinitionAnImplementationAndATestedProblem) {
  std::set<std::string> tested;
  for (const TestProblem& problem : kProblems) tested.insert(problem.op);
  for (const CatalogueEntry& entry : make_catalogue()) {
    SCOPED_TRACE(entry.spec.name);
    EXPECT_GE(entry.spec.revision, 1);
    EXPECT_FALSE(entry.spec.doc.empty());
    EXPECT_NE(find_definition(entry.spec.name), nullptr);
    EXPECT_FALSE(entry.backends.empty());
    for (const std::string& backend : entry.backends)
      EXPECT_TRUE(find_implementation(entry.spec.name, backend)) << backend;
    EXPECT_TRUE(tested.contains(entry.spec.name));
  }
}

TEST(OpCatalogue, NamesThatItDoesNotHaveAreAnsweredWithNothing) {
  EXPECT_EQ(find_definition("no_such_op"), nullptr);
  EXPECT_FALSE(find_implementation("softmax", "no_such_backend"));
  EXPECT_FALSE(find_implementation("no_such_op", "libtorch"));
}

TEST(OpCatalogue, EveryParameterIsTestedBeyondItsDefaultAndWithEveryAllowedText) {
  for (const CatalogueEntry& entry : make_catalogue())
    for (const ParamSpec& param : entry.spec.params) {
      SCOPED_TRACE(entry.spec.name + "." + param.name);
      std::set<std::string> values;
      if (param.fallback) values.insert(to_text(*param.fallback));
      for (const TestProblem& problem : kProblems)
        if (problem.op == entry.spec.name && problem.params.contains(param.name))
          values.insert(to_text(problem.params.at(param.name)));
      EXPECT_GE(values.size(), param.fallback ? 2u : 1u);
      for (const std::string& allowed : param.allowed)
        EXPECT_TRUE(values.contains(allowed)) << allowed;
    }
}

TEST(OpCatalogue, CostsAndRequirementsEvaluateForEveryProblem) {
  for (const TestProblem& problem : kProblems)
    for (const bool is_backward : {false, true}) {
      SCOPED_TRACE(text_of(problem) + (is_backward ? " backward" : " forward"));
      const OpSpec& spec = spec_of(problem.op);
      if (is_backward && !spec.has_backward) continue;
      const Case subject = case_of(problem.op, problem.params, DType::float16, is_backward);
      const CostSpec& cost = is_backward ? spec.backward : spec.forward;
      EXPECT_GE(evaluate_number(cost.flops, subject.params), 1);
      EXPECT_GE(evaluate_number(spec.reduction_length, subject.params), 1);
      for (const Requirement& requirement : spec.requirements)
        EXPECT_TRUE(evaluate_condition(*parse_expression(requirement.condition), subject.params));

      // Inputs are read once, results written once; backward also reads the output's gradient,
      // and inputs that no gradient depends on (gemm's and conv2d's bias, …) are not read.
      const Comparison comparison = against_reference(subject);
      double written = 0;
      for (const at::Tensor& result : comparison.results) written += double(result.nbytes());
      double read = 0;
      for (const InputSpec& input : find_definition(problem.op)->inputs(Problem(subject))) {
        double bytes = info(input.dtype).bytes;
        for (const std::int64_t size : input.shape) bytes *= double(size);
        if (!is_backward || input.name != "bias") read += bytes;
      }
      if (is_backward)
        read += double(against_reference(case_of(problem.op, problem.params, DType::float16,
                                                 /*is_backward=*/false))
                           .results[0]
                           .nbytes());
      EXPECT_EQ(evaluate_number(cost.bytes, subject.params), read + written);
    }
}

TEST(OpCatalogue, RequirementsRefuseProblemsThatDoNotExist) {
  const std::vector<std::pair<std::string, Params>> impossible{
      {"conv2d",
       {{"n", 1}, {"c", 6}, {"h", 8}, {"w", 8}, {"k", 8}, {"r", 3}, {"s", 3}, {"groups", 4}}},
      {"conv2d", {{"n", 1}, {"c", 1}, {"h", 8}, {"w", 4}, {"k", 1}, {"r", 3}, {"s", 5}}},
      {"sdpa",
       {{"batch", 1}, {"heads", 6}, {"kv_heads", 4}, {"q_len", 1}, {"kv_len", 1}, {"head_dim", 8}}},
  };
  for (const auto& [op, params] : impossible) {
    const Case subject = case_of(op, params, DType::float32, /*is_backward=*/false);
    EXPECT_TRUE(std::ranges::any_of(spec_of(op).requirements, [&](const Requirement& requirement) {
      return !evaluate_condition(*parse_expression(requirement.condition), subject.params);
    })) << case_id(op, "libtorch", params);
  }
}

TEST(OpCosts, AreTheTextbookNumbersForKnownProblems) {
  const auto flops = [](const char* op, const Params& params, bool is_backward) {
    const CostSpec& cost = is_backward ? spec_of(op).backward : spec_of(op).forward;
    return evaluate_number(cost.flops, case_of(op, params, DType::float32, is_backward).params);
  };
  const Params gemm{{"m", 4096}, {"n", 1024}, {"k", 512}, {"batch", 3}};
  EXPECT_EQ(flops("gemm", gemm, false), 2.0 * 3 * 4096 * 1024 * 512);
  EXPECT_EQ(flops("gemm", gemm, true), 4.0 * 3 * 4096 * 1024 * 512);
  // First layer of ResNet-50 (He et al. 2016): 118 million multiply-adds for one image.
  const Params stem{{"n", 1}, {"c", 3}, {"h", 224},    {"w", 224},    {"k", 64},
                    {"r", 7}, {"s", 7}, {"stride", 2}, {"padding", 3}};
  EXPECT_EQ(flops("conv2d", stem, false), 2.0 * 112 * 112 * 64 * 3 * 7 * 7);
  // Half of the scores, the diagonal included.
  const Params causal{{"batch", 1},    {"heads", 1},     {"q_len", 100},
                      {"kv_len", 100}, {"head_dim", 64}, {"causal", true}};
  EXPECT_EQ(flops("sdpa", causal, false), 5050.0 * (4 * 64 + 5));
}

}  // namespace
}  // namespace plumbline
