/// Every op of the catalogue: its folder's declarations are consistent, and LibTorch's results on
/// the CPU agree with its reference within a tolerance that refuses wrong results.
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <set>

#include "against_reference.h"
#include "core/op/op_limits.h"

namespace plumbline {
namespace {

struct Tested {
  std::size_t index;  // of problems()
  DType dtype;
};

bool is_possible(const TestProblem& problem, DType dtype) {
  const Case subject = case_of(problem, dtype, /*is_backward=*/false);
  return std::ranges::all_of(spec_of(problem.op).requirements, [&](const Requirement& requirement) {
    return evaluate_condition(*parse_expression(requirement.condition), subject.params);
  });
}

/// Every problem in every dtype that LibTorch takes.
std::vector<Tested> all_tested() {
  std::vector<Tested> all;
  for (std::size_t i = 0; i < problems().size(); ++i)
    for (const DType dtype : dtypes_of(spec_of(problems()[i].op), "libtorch", "forward"))
      if (is_possible(problems()[i], dtype)) all.push_back({i, dtype});
  return all;
}

class OpTest : public testing::TestWithParam<Tested> {
 protected:
  static const TestProblem& problem() { return problems()[GetParam().index]; }
  static DType dtype() { return GetParam().dtype; }
  static bool has_gradients() { return spec_of(problem().op).has_backward; }
  static std::vector<bool> directions() {
    return has_gradients() ? std::vector{false, true} : std::vector{false};
  }
  static Comparison compare(bool is_backward) {
    return against_reference(case_of(problem(), dtype(), is_backward));
  }
};

void expect_agreement(const Comparison& comparison) {
  ASSERT_EQ(comparison.compared.size(), comparison.expected.size());
  for (std::size_t i = 0; i < comparison.compared.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    const at::Tensor& expected = comparison.expected[i];
    ASSERT_EQ(comparison.compared[i].sizes(), expected.sizes());
    if (expected.is_floating_point())
      EXPECT_LE(error_of(comparison.compared[i], expected), comparison.tolerance);
    else
      EXPECT_TRUE(at::equal(comparison.compared[i], expected));
  }
}

TEST_P(OpTest, ForwardAgreesWithTheReference) { expect_agreement(compare(/*is_backward=*/false)); }

TEST_P(OpTest, GradientsAgreeWithTheReferenceAndHaveTheirInputsDtypes) {
  if (!has_gradients()) return;
  const Comparison comparison = compare(/*is_backward=*/true);
  expect_agreement(comparison);
  std::size_t result = 0;
  for (const at::Tensor& input : comparison.inputs) {
    if (!input.requires_grad()) continue;
    EXPECT_EQ(comparison.results.at(result).scalar_type(), input.scalar_type());
    EXPECT_EQ(comparison.results.at(result++).sizes(), input.sizes());
  }
}

TEST_P(OpTest, WrongResultsAreOutsideTheTolerance) {
  // Results that are repeatedly rounded to bfloat16 may be off by more than 1 % (op.cpp says so).
  const bool rounds_again =
      std::set<std::string>{"rnn",        "fp8_gemm",  "block_fp8_gemm", "mxfp8_gemm",
                            "nvfp4_gemm", "index_add", "embedding",      "cross_entropy"}
          .contains(problem().op);
  for (const bool is_backward : directions()) {
    // Gradients are rounded once more.
    const double wrong_scale = dtype() != DType::bfloat16 ? 1.01
                               : rounds_again             ? 1.1
                               : is_backward              ? 1.03
                                                          : 1.01;
    const Comparison comparison = compare(is_backward);
    for (const at::Tensor& expected : comparison.expected) {
      if (!expected.is_floating_point() || expected.norm().item<double>() == 0) continue;
      EXPECT_GT(error_of(expected * wrong_scale, expected), comparison.tolerance)
          << "a wrong factor would pass";
      at::Tensor incomplete = expected.clone().reshape({-1});
      const std::int64_t start = incomplete.abs().argmax().item<std::int64_t>();
      const std::int64_t tenth = (incomplete.numel() + 9) / 10;
      incomplete.slice(0, std::max<std::int64_t>(start - tenth + 1, 0), start + 1).zero_();
      EXPECT_GT(error_of(incomplete.reshape(expected.sizes()), expected), comparison.tolerance)
          << "a missing tenth would pass";
      const bool is_tf32 = problem().params.find("tf32") != std::string::npos;
      if (dtype() != DType::float32 || is_tf32 || expected.numel() < 10) continue;
      EXPECT_GT(error_of(expected.to(at::kBFloat16), expected), 10 * comparison.tolerance)
          << "a result rounded to bfloat16 would pass as float32";
    }
  }
}

std::string name_of(const testing::TestParamInfo<Tested>& tested) {
  const auto& [index, dtype] = tested.param;
  return problems()[index].op + "_" + std::to_string(index) + "_" + std::string(info(dtype).name);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, OpTest, testing::ValuesIn(all_tested()), name_of);

/// Hidden states of relu's network: near zero, rounding would decide their gradients.
TEST(OpReferences, StatesOfReluAreFarFromZeroWhereGradientsAreAskedFor) {
  for (const std::string shape :
       {"steps=50 batch=16 input=64 hidden=64", "steps=5 batch=3 input=7 hidden=12",
        "steps=20 batch=8 input=128 hidden=32 layers=2 bidirectional=true"}) {
    SCOPED_TRACE(shape);
    const Case subject = case_of({"rnn", "cell=relu " + shape}, DType::float32, true);
    const Problem problem(subject);
    const Tensors inputs = exact_inputs(operands_of(problem));
    const at::Tensor states =
        find_definition("rnn")->reference(problem, inputs).all.front().detach();
    const auto is_on = states > 0;
    EXPECT_NEAR(is_on.to(at::kDouble).mean().item<double>(), 0.5, 1e-12);
    EXPECT_GT(states.masked_select(is_on).min().item<double>(), 0.3);
  }
}

TEST(OpCatalogue, EveryOpHasADefinitionAnImplementationAndATestedProblem) {
  std::set<std::string> tested;
  for (const TestProblem& problem : all_problems()) tested.insert(problem.op);
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

TEST(OpCatalogue, WhatOnlyGpusComputeIsUnsupportedOnACpuWithAReason) {
  for (const TestProblem& tested : gpu_problems()) {
    SCOPED_TRACE(tested.op + " " + tested.params);
    const Case subject = case_of(tested, DType::bfloat16, /*is_backward=*/false);
    const Problem problem(subject);
    try {
      const std::string& backend = find_op(catalogue(), tested.op)->backends.front();
      find_implementation(tested.op, backend)(problem, operands_of(problem));
      FAIL() << "it was prepared";
    } catch (const Unsupported& refusal) {
      EXPECT_GT(std::string(refusal.what()).size(), 20u) << refusal.what();
    }
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
      for (const TestProblem& problem : all_problems())
        if (problem.op == entry.spec.name)
          values.insert(to_text(params_of(problem.op, problem.params).at(param.name)));
      EXPECT_GE(values.size(), param.fallback ? 2u : 1u);
      for (const std::string& allowed : param.allowed)
        EXPECT_TRUE(values.contains(allowed)) << allowed;
    }
}

bool is_possible(const TestProblem& problem) {
  return std::ranges::any_of(spec_of(problem.op).dtypes,
                             [&](DType dtype) { return is_possible(problem, dtype); });
}

TEST(OpCatalogue, RequirementsAcceptWhatIsTestedAndRefuseProblemsThatDoNotExist) {
  for (const TestProblem& problem : all_problems())
    EXPECT_TRUE(is_possible(problem)) << problem.op << " " << problem.params;
  const std::vector<TestProblem> impossible{
      {"avg_pool2d", "n=1 c=1 h=8 w=8 kernel=3 padding=2"},
      {"batch_norm", "n=1 c=8 h=1 w=1"},
      {"conv2d", "n=1 c=6 h=8 w=8 k=8 r=3 s=3 groups=4"},
      {"copy", "elements=7 host=pageable"},
      {"conv2d", "n=1 c=1 h=8 w=4 k=1 r=3 s=5"},
      {"group_norm", "n=1 c=8 h=8 w=8 groups=3"},
      {"grouped_gemm", "tokens=6 experts=8 n=8 k=8 idle=1"},
      {"grouped_gemm", "tokens=6 experts=2 n=8 k=8 idle=2"},
      {"int4_gemm", "m=1 n=16 k=64"},
      {"int8_gemm", "m=1 n=1 k=131072"},
      {"kv_append", "tokens=33 kv_heads=1 head_dim=8 blocks=2"},
      {"max_pool2d", "n=1 c=1 h=8 w=2 kernel=3"},
      {"moe_routing", "tokens=1 experts=4 top_k=5"},
      {"mxfp8_gemm", "m=1 n=16 k=48"},
      {"nvfp4_gemm", "m=1 n=16 k=40"},
      {"paged_attention", "sequences=1 heads=6 kv_heads=4 head_dim=8 context=1"},
      {"paged_attention", "sequences=1 heads=1 kv_heads=1 head_dim=8 context=4 shortest_context=5"},
      {"rope", "tokens=1 heads=1 head_dim=7"},
      {"sampling", "rows=1 vocabulary=4 top_k=5"},
      {"scatter", "rows=1 cols=4 updates=5"},
      {"sdpa", "batch=1 heads=6 kv_heads=4 q_len=1 kv_len=1 head_dim=8"},
      {"sparse_gemm", "m=1 n=1 k=6"},
      {"topk", "rows=1 cols=4 k=5"},
  };
  for (const TestProblem& problem : impossible)
    EXPECT_FALSE(is_possible(problem)) << problem.op << " " << problem.params;
}

}  // namespace
}  // namespace plumbline
