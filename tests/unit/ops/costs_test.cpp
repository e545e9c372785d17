/// Costs of a launch in the ops' folders: checked by a rule, and against hand-counted numbers.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "against_reference.h"

namespace plumbline {
namespace {

const CostSpec& cost_of(const TestProblem& problem, bool is_backward) {
  return is_backward ? spec_of(problem.op).backward : spec_of(problem.op).forward;
}

/// Inputs that backward need not read although gradients depend on them: forward leaves the needed
/// information in another form, such as indices.
const std::map<std::string, std::string> kLeftInAnotherForm{{"max_pool2d", "x"}};
/// Ops that read or write only elements that their indices name: hand-counted below.
const std::set<std::string> kByIndex{"embedding",    "index_add", "scatter",
                                     "grouped_gemm", "kv_append", "paged_attention"};

/// Ops timed by the host's clock need not touch their inputs.
bool is_host_timed(const TestProblem& problem) {
  return evaluate_condition(*parse_expression(spec_of(problem.op).host_timed),
                            params_of(problem.op, problem.params));
}

Tensors gradients_of(const Problem& problem, const Tensors& inputs) {
  Tensors leaves;
  std::ranges::copy_if(inputs, std::back_inserter(leaves), &at::Tensor::requires_grad);
  const at::Tensor output =
      find_definition(problem.subject().op)->reference(problem, inputs).all[0];
  const at::Tensor gradient = filled_tensor(output.sizes().vec(), DType::float64, 100);
  return torch::autograd::grad({output}, leaves, {gradient});
}

/// Whether some gradient changes if that input has other values.
bool gradients_depend_on(const Problem& problem, std::size_t input) {
  Operands operands = operands_of(problem);
  const Tensors before = gradients_of(problem, exact_inputs(operands));
  const InputSpec spec = find_definition(problem.subject().op)->inputs(problem)[input];
  at::Tensor& values = operands.inputs[input];
  values = input_of(spec, /*seed=*/1000 + input).requires_grad_(values.requires_grad());
  const Tensors after = gradients_of(problem, exact_inputs(operands));
  return !std::ranges::equal(before, after,
                             [](const at::Tensor& a, const at::Tensor& b) { return a.equal(b); });
}

/// Inputs that no gradient depends on, and those whose needed information forward leaves.
std::vector<std::size_t> not_read_by_backward(const Case& subject) {
  const Problem problem(subject);
  const std::vector<InputSpec> inputs = find_definition(subject.op)->inputs(problem);
  const auto left = kLeftInAnotherForm.find(subject.op);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if ((left != kLeftInAnotherForm.end() && left->second == inputs[i].name) ||
        !gradients_depend_on(problem, i))
      found.push_back(i);
  return found;
}

TEST(OpCosts, BytesAreThoseOfInputsReadOnceAndResultsWrittenOnce) {
  for (const TestProblem& problem : problems()) {
    if (kByIndex.contains(problem.op) || is_host_timed(problem)) continue;
    for (const bool is_backward : {false, true}) {
      SCOPED_TRACE(problem.op + " " + problem.params + (is_backward ? " backward" : " forward"));
      if (is_backward && !spec_of(problem.op).has_backward) continue;
      const auto& dtypes = spec_of(problem.op).dtypes;
      const DType dtype =
          std::ranges::find(dtypes, DType::float16) == dtypes.end() ? dtypes[0] : DType::float16;
      const Case subject = case_of(problem, dtype, is_backward);
      const Comparison comparison = against_reference(subject);
      double bytes = 0;
      for (const at::Tensor& result : comparison.results) bytes += double(result.nbytes());
      for (const at::Tensor& input : comparison.inputs) bytes += double(input.nbytes());
      if (is_backward)
        for (const std::size_t i : not_read_by_backward(subject))
          bytes -= double(comparison.inputs[i].nbytes());
      EXPECT_EQ(evaluate_number(cost_of(problem, is_backward).bytes, subject.params), bytes);
    }
  }
}

TEST(OpCosts, EvaluateToNumbersForEveryProblem) {
  for (const TestProblem& problem : all_problems())
    for (const bool is_backward : {false, true}) {
      SCOPED_TRACE(problem.op + " " + problem.params);
      if (is_backward && !spec_of(problem.op).has_backward) continue;
      const Case subject = case_of(problem, spec_of(problem.op).dtypes.front(), is_backward);
      EXPECT_GE(evaluate_number(cost_of(problem, is_backward).flops, subject.params), 0);
      EXPECT_GE(evaluate_number(cost_of(problem, is_backward).bytes, subject.params),
                is_host_timed(problem) ? 0 : 1);
      EXPECT_GE(evaluate_number(spec_of(problem.op).reduction_length, subject.params), 1);
    }
}

struct Counted {
  TestProblem problem;
  DType dtype;
  bool is_backward;
  double flops, bytes;
};

constexpr bool kForward = false, kBackward = true;

/// Counted by hand from the definition in each op's comment. Each factor stands for what it counts.
const std::vector<Counted> kCounted{
    {{"swiglu", "elements=1000"}, DType::float16, kForward, (4 + 1) * 1000, 3 * 1000 * 2},
    {{"swiglu", "elements=1000"}, DType::float16, kBackward, (4 + 4 + 3) * 1000, 5 * 1000 * 2},
    {{"add", "elements=1000"}, DType::float16, kForward, 1000, 3 * 1000 * 2},
    {{"adamw", "elements=100 tensors=3"},
     DType::bfloat16,
     kForward,
     3 * 100 * 14,
     3 * (7 * 100 * 2 + 4)},
    // 25,557,032 parameters in 161 tensors (suites/networks/resnet.py); 109,482,240 in 199, and a
    // head of two classes.
    {{"adamw", "list=resnet50"},
     DType::float32,
     kForward,
     14 * 25557032.0,
     7 * 25557032.0 * 4 + 161 * 4},
    {{"adamw", "list=bert_base"},
     DType::float16,
     kForward,
     14 * (109482240.0 + 2 * 769),
     7 * (109482240.0 + 2 * 769) * 2 + 201 * 4},
    // Two vectors of 4096, and matrices of 4096 x 4096, 1024 x 4096 and 14336 x 4096, in 3 parts.
    {{"adamw", "list=llama_block shards=3"},
     DType::bfloat16,
     kForward,
     14 * (2 * 1366 + 2 * 5592406 + 2 * 1398102 + 3 * 19573419.0),
     7 * (2 * 1366 + 2 * 5592406 + 2 * 1398102 + 3 * 19573419.0) * 2 + 9 * 4},
    // 2 x 2 windows in 4 x 6: 2 x 3 of them in each of 10 channels.
    {{"avg_pool2d", "n=2 c=5 h=4 w=6 kernel=2"}, DType::float32, kForward, 60 * 4, (240 + 60) * 4},
    {{"avg_pool2d", "n=2 c=5 h=4 w=6 kernel=2"}, DType::float32, kBackward, 60 * 5, (240 + 60) * 4},
    {{"batch_norm", "n=2 c=3 h=4 w=5"}, DType::float16, kForward, 8 * 120, 2 * 120 * 2 + 2 * 3 * 4},
    {{"batch_norm", "n=2 c=3 h=4 w=5 training=false"},
     DType::float64,
     kBackward,
     5 * 120,
     3 * 120 * 8 + 5 * 3 * 8},
    {{"bias_gelu", "rows=10 cols=20"}, DType::float32, kForward, 6 * 200, (400 + 20) * 4},
    {{"bias_gelu", "rows=10 cols=20"}, DType::float32, kBackward, 13 * 200, (600 + 40) * 4},
    // Blocks of 128: 3 along k, 2 along n.
    {{"block_fp8_gemm", "m=5 n=130 k=300"},
     DType::bfloat16,
     kForward,
     2 * 5 * 130 * 300,
     5 * 300 + 130 * 300 + 5 * 130 * 2 + (3 * 5 + 3 * 2) * 4},
    {{"bmm", "batch=12 m=512 n=64 k=128"},
     DType::float16,
     kForward,
     2.0 * 12 * 512 * 64 * 128,
     12 * (512 * 128 + 128 * 64 + 512 * 64) * 2},
    {{"cat", "tensors=3 rows=5 cols=7 axis=cols"}, DType::float32, kForward, 0, 2 * 105 * 4},
    {{"causal_conv1d", "batch=2 channels=3 length=10 width=4"},
     DType::float32,
     kForward,
     60 * (2 * 4 + 4),
     (2 * 60 + 3 * 4 + 3) * 4},
    {{"causal_conv1d", "batch=2 channels=3 length=10 width=4"},
     DType::float32,
     kBackward,
     60 * (3 * 2 * 4 + 1 + 7),
     (3 * 60 + 2 * (3 * 4 + 3)) * 4},
    {{"copy", "elements=1000"}, DType::float32, kForward, 0, 2 * 1000 * 4},
    {{"cross_entropy", "rows=10 classes=100"},
     DType::float32,
     kForward,
     10 * (4 * 100 + 3) + 10,
     1000 * 4 + 10 * 8 + 4},
    {{"cross_entropy", "rows=10 classes=100 reduction=none"},
     DType::float32,
     kBackward,
     10 * (3 * 100 + 1),
     2 * 1000 * 4 + 10 * 8 + 10 * 4},
    {{"dequantize_int8", "rows=10 cols=20"}, DType::float16, kForward, 200, 200 * 3 + 4},
    {{"dropout", "elements=1000"}, DType::float32, kForward, 1000, 2 * 1000 * 4},
    // Each of two rows is named with chance 3/4, so 1.5 on average: (1.5 + 2) x 8 elements and 2
    // indices.
    {{"embedding", "vocabulary=2 width=8 tokens=2"}, DType::float32, kForward, 0, 28 * 4 + 16},
    {{"embedding", "vocabulary=2 width=8 tokens=2"}, DType::float32, kBackward, 16, 32 * 4 + 16},
    {{"fft", "batch=3 length=1024"},
     DType::float32,
     kForward,
     3 * 5 * 1024 * 10,
     3 * 1024 * 2 * 2 * 4},
    {{"fft", "batch=3 length=1024 transform=real"},
     DType::float32,
     kBackward,
     3 * 2.5 * 1024 * 10,
     3 * (1024 + 513 * 2) * 4},
    {{"fp8_gemm", "m=16 n=32 k=64"},
     DType::bfloat16,
     kForward,
     2 * 16 * 32 * 64,
     16 * 64 + 64 * 32 + 16 * 32 * 2 + 8},
    {{"fp8_gemm", "m=16 n=32 k=64 scale=row"},
     DType::bfloat16,
     kForward,
     2 * 16 * 32 * 64,
     16 * 64 + 64 * 32 + 16 * 32 * 2 + (16 + 32) * 4},
    {{"group_norm", "n=2 c=64 h=4 w=4"}, DType::float32, kForward, 8 * 2048, (4096 + 128) * 4},
    // The weights of 3 of 4 experts.
    {{"grouped_gemm", "tokens=10 experts=4 n=5 k=6 idle=1"},
     DType::float16,
     kForward,
     2 * 10 * 5 * 6,
     (10 * 6 + 3 * 6 * 5 + 10 * 5) * 2 + 4 * 4},
    {{"index_add", "rows=2 cols=8 updates=2"}, DType::float32, kForward, 16, 32 * 4 + 16},
    {{"index_add", "rows=2 cols=8 updates=2"}, DType::float32, kBackward, 0, 28 * 4 + 16},
    // 2 scales a row.
    {{"mxfp8_gemm", "m=3 n=5 k=64"},
     DType::bfloat16,
     kForward,
     2 * 3 * 5 * 64,
     3 * 64 + 5 * 64 + 3 * 5 * 2 + 2 * (3 + 5)},
    // 4 scales a row, and one of 4 bytes for each matrix.
    {{"nvfp4_gemm", "m=3 n=5 k=64"},
     DType::float16,
     kForward,
     2 * 3 * 5 * 64,
     (3 + 5) * 32 + 3 * 5 * 2 + 4 * (3 + 5) + 8},
    {{"int4_gemm", "m=3 n=16 k=64 group=32"},
     DType::float16,
     kForward,
     2 * 3 * 16 * 64,
     (3 * 64 + 3 * 16 + 2 * 16 * 2) * 2 + 16 * 64 / 2},
    {{"int8_gemm", "m=16 n=32 k=64"},
     DType::int8,
     kForward,
     2 * 16 * 32 * 64,
     16 * 64 + 64 * 32 + 16 * 32 * 4},
    // Keys and values are read once and written once.
    {{"kv_append", "tokens=10 kv_heads=2 head_dim=8 blocks=4"},
     DType::float16,
     kForward,
     0,
     2 * 2 * 10 * 2 * 8 * 2 + 10 * 8},
    {{"layer_norm", "rows=10 cols=20"}, DType::float32, kForward, 8 * 200, (400 + 40) * 4},
    {{"max_pool2d", "n=2 c=5 h=5 w=7 kernel=3 stride=2 padding=1"},
     DType::float16,
     kForward,
     9 * 10 * 12,
     (350 + 120) * 2},
    {{"max_pool2d", "n=2 c=5 h=5 w=7 kernel=3 stride=2 padding=1"},
     DType::float16,
     kBackward,
     10 * 12,
     (350 + 120) * 2},
    {{"moe_routing", "tokens=10 experts=8 top_k=2"},
     DType::float16,
     kForward,
     10 * (8 + 5 * 2),
     10 * (8 + 2) * 2 + 20 * 8},
    // Contexts of 4, 7 and 10 tokens; a row of the block table has 5 blocks of 2.
    {{"paged_attention",
      "sequences=3 heads=4 kv_heads=2 head_dim=8 context=10 shortest_context=4 block_size=2"},
     DType::float16,
     kForward,
     21 * 4 * (2 * 8 + 2 * 8 + 5),
     (2 * 3 * 4 * 8 + 2 * 21 * 2 * 8) * 2 + 4 * (3 * 5 + 3)},
    {{"permute", "a=2 b=3 c=4 d=5 order=dcba"}, DType::float16, kForward, 0, 2 * 120 * 2},
    {{"quantize_int8", "rows=10 cols=20 scale=row"},
     DType::float16,
     kForward,
     5 * 200,
     200 * 3 + 10 * 4},
    {{"residual_rms_norm", "rows=10 cols=20"},
     DType::bfloat16,
     kForward,
     5 * 200,
     (4 * 200 + 20) * 2},
    {{"residual_rms_norm", "rows=10 cols=20 quantize=fp8"},
     DType::bfloat16,
     kForward,
     (5 + 2 + 3) * 200,
     (3 * 200 + 20) * 2 + 200 + 10 * 4},
    {{"rms_norm", "rows=10 cols=20"}, DType::bfloat16, kForward, 4 * 200, (400 + 20) * 2},
    {{"rms_norm", "rows=10 cols=20"}, DType::bfloat16, kBackward, 9 * 200, (600 + 40) * 2},
    // Four gates of 32, from 16 features and 32 states; two biases each.
    {{"rnn", "cell=lstm steps=10 batch=4 input=16 hidden=32"},
     DType::float32,
     kForward,
     2 * 10 * 4 * 128 * (16 + 32),
     (10 * 4 * 16 + 128 * (16 + 32 + 2) + 10 * 4 * 32 + 2 * 4 * 32) * 4},
    // The second layer reads both directions of the first.
    {{"rnn", "cell=gru steps=10 batch=4 input=16 hidden=32 layers=2 bidirectional=true"},
     DType::float32,
     kBackward,
     4 * 10 * 4 * 96 * 2 * (16 + 32 + 64 + 32),
     (2 * 10 * 4 * 16 + 2 * 96 * 2 * (16 + 32 + 64 + 32 + 4) + 10 * 4 * 64) * 4},
    {{"rope", "tokens=10 heads=3 head_dim=8"},
     DType::float16,
     kForward,
     10 * 3 * 4 * 6,
     (2 * 240 + 10 * 2 * 4) * 2},
    {{"sampling", "rows=4 vocabulary=100 top_k=5"},
     DType::float16,
     kForward,
     4 * (100 + 8 * 5),
     400 * 2 + 4 * (4 + 8)},
    {{"scatter", "rows=10 cols=8 updates=2"}, DType::float32, kForward, 0, 100 * 4 + 20 * 8},
    {{"scatter", "rows=10 cols=8 updates=2"}, DType::float32, kBackward, 0, 40 * 4 + 20 * 8},
    {{"sort", "rows=3 cols=1024"}, DType::float32, kForward, 3 * 1024 * 10, 3072 * (8 + 8)},
    // Half of A's elements, and 2 bits for the place of each.
    {{"sparse_gemm", "m=16 n=32 k=64"},
     DType::float16,
     kForward,
     16 * 32 * 64,
     (512 + 64 * 32 + 16 * 32) * 2 + 512 / 4},
    {{"ssm_scan", "batch=2 channels=3 length=10 state=4"},
     DType::float16,
     kForward,
     60 * (7 * 4 + 3),
     (3 * 60 + 2 * 2 * 4 * 10) * 2 + (3 * 4 + 3) * 4},
    {{"topk", "rows=4 cols=1000 k=5"}, DType::float16, kForward, 4000, 4000 * 2 + 20 * (2 + 8)},
    {{"transpose", "rows=10 cols=20"}, DType::float32, kForward, 0, 400 * 4},
};

TEST(OpCosts, AreThoseCountedByHand) {
  for (const auto& [problem, dtype, is_backward, flops, bytes] : kCounted) {
    SCOPED_TRACE(problem.op + " " + problem.params + (is_backward ? " backward" : " forward"));
    const Case subject = case_of(problem, dtype, is_backward);
    EXPECT_EQ(evaluate_number(cost_of(problem, is_backward).flops, subject.params), flops);
    EXPECT_EQ(evaluate_number(cost_of(problem, is_backward).bytes, subject.params), bytes);
  }
}

TEST(OpCosts, AreTheTextbookNumbersForKnownProblems) {
  const auto flops = [](const TestProblem& problem, bool is_backward) {
    return evaluate_number(cost_of(problem, is_backward).flops,
                           case_of(problem, DType::float32, is_backward).params);
  };
  const TestProblem gemm{"gemm", "m=4096 n=1024 k=512 batch=3"};
  EXPECT_EQ(flops(gemm, kForward), 2.0 * 3 * 4096 * 1024 * 512);
  EXPECT_EQ(flops(gemm, kBackward), 4.0 * 3 * 4096 * 1024 * 512);
  // First layer of ResNet-50 (He et al. 2016): 118 million multiply-adds for one image.
  const TestProblem stem{"conv2d", "n=1 c=3 h=224 w=224 k=64 r=7 s=7 stride=2 padding=3"};
  EXPECT_EQ(flops(stem, kForward), 2.0 * 112 * 112 * 64 * 3 * 7 * 7);
  // Half of the scores, including the diagonal.
  const TestProblem causal{"sdpa", "batch=1 heads=1 q_len=100 kv_len=100 head_dim=64 causal=true"};
  EXPECT_EQ(flops(causal, kForward), 5050.0 * (4 * 64 + 5));
}

}  // namespace
}  // namespace plumbline
