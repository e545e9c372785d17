/// An op's cuDNN graphs compute the same as its reference, and cuDNN builds plans for them on an
/// H200. Both checks need no GPU: formulas compute the graphs in float64, and cuDNN gets the
/// description of a device.
#include "backends/cudnn/cudnn.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "against_reference.h"
#include "backends/cudnn/graph/frontend.h"
#include "backends/cudnn/reference/reference.h"
#include "core/op/op_limits.h"

namespace plumbline {
namespace {

using Json = nlohmann::json;

/// cuDNN's properties of an H200 (141 GB, SXM), as CUDA's queries return them.
constexpr const char* kH200 = R"({
  "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],
  "regsPerBlock": 65536, "multiProcessorCount": 132, "warpSize": 32,
  "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448,
  "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32,
  "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0,
  "supportCoopLaunch": 1, "totalGlobalMem": 150121545728, "smClockRateKHz": 1980000,
  "memClockRateKHz": 3201000, "l2CacheSize": 62914560, "cudaDeviceId": 0, "deviceVer": 900,
  "driverVer": 13000, "deviceName": "NVIDIA H200"})";

/// The op's graphs, or nullptr if cuDNN computes it by a separate function, or not at all.
const CudnnImplementation* graphs_of(const Implementation& implementation) {
  return implementation.target<CudnnImplementation>();
}

/// Names in the graph, by uid.
std::map<std::int64_t, std::string> names_of(const cudnn::Graph& graph) {
  std::map<std::int64_t, std::string> names;
  const Json json = Json::parse(graph.text());
  for (const auto& [name, tensor] : json.at("tensors").items())
    if (tensor.contains("uid")) names[tensor.at("uid").get<std::int64_t>()] = name;
  return names;
}

/// Writes the graph's results into its memory, rounded to the memory's type.
void play(const cudnn::Graph& graph) {
  const at::NoGradGuard no_grad;
  cudnn::NamedValues inputs;
  for (const auto& [uid, name] : names_of(graph))
    inputs[name] = exact(graph.memory().at(uid).detach());
  const cudnn::NamedValues written = cudnn::reference(graph.text(), inputs);
  for (const auto& [uid, name] : names_of(graph))
    if (const auto found = written.find(name); found != written.end()) {
      const at::Tensor memory = graph.memory().at(uid);
      ASSERT_EQ(found->second.sizes(), memory.sizes()) << graph.name() << ": " << name;
      memory.copy_(found->second);
    }
}

/// Why cuDNN does not take the problem, according to the op.
std::string limit_of(const Case& subject) {
  return beyond_limits(spec_of(subject.op), "cudnn", subject.params, "cuda");
}

void play_all(const Problem& problem, const Operands& operands, Tensors& results) {
  const Implementation implementation = find_implementation(problem.subject().op, "cudnn");
  const CudnnProgram program = graphs_of(implementation)->program(problem, operands);
  for (const auto& graphs : {program.before, program.launch})
    for (const cudnn::Graph& graph : graphs) play(graph);
  results = program.results;
}

/// For limits of only an element type there are graphs, so that cuDNN can be asked whether they
/// still hold.
bool is_of_dtype(const std::string& limit) {
  return limit.find("TF32") != limit.npos || limit.find("float64") != limit.npos ||
         limit.find("before Blackwell") != limit.npos;
}

void expect_graphs_agree(const TestProblem& tested, DType dtype, bool is_backward) {
  const Case subject = case_of(tested, dtype, is_backward);
  SCOPED_TRACE(subject.id + " " + tested.op + " " + tested.params);
  Operands operands;
  const Comparison right = expected_of(subject, operands);
  for (at::Tensor& input : operands.inputs) input = input.detach();
  Tensors results;
  const std::string limit = limit_of(subject);
  if (!limit.empty() && !is_of_dtype(limit)) return;  // others have no graphs
  play_all(Problem(subject), operands, results);
  ASSERT_EQ(results.size(), right.expected.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(results[i].sizes(), right.expected[i].sizes()) << "result " << i;
    EXPECT_LE(error_of(results[i], right.expected[i].to(at::kDouble)), right.tolerance)
        << "result " << i;
  }
}

/// Ops of the catalogue that cuDNN computes by graphs.
std::set<std::string> ops_with_graphs() {
  std::set<std::string> ops;
  for (const CatalogueEntry& entry : catalogue())
    if (const Implementation implementation = find_implementation(entry.spec.name, "cudnn");
        implementation && graphs_of(implementation))
      ops.insert(entry.spec.name);
  return ops;
}

TEST(CudnnOps, GraphsComputeWhatTheReferenceDoes) {
  std::set<std::string> ops;
  for (const TestProblem& tested : problems()) {
    const Implementation implementation = find_implementation(tested.op, "cudnn");
    if (!implementation || !graphs_of(implementation)) continue;
    ops.insert(tested.op);
    for (const DType dtype : spec_of(tested.op).dtypes) {
      if (dtype == DType::float64 || dtype == DType::bfloat16) continue;
      if (tested.params.find("tf32") != std::string::npos && dtype != DType::float32) continue;
      expect_graphs_agree(tested, dtype, /*is_backward=*/false);
      if (spec_of(tested.op).has_backward) expect_graphs_agree(tested, dtype, true);
    }
  }
  EXPECT_EQ(ops, ops_with_graphs());
}

/// Typical sizes in networks, in all dtypes and directions of their op.
const std::vector<TestProblem> kPlanned{
    {"add", "elements=1048576"},
    {"avg_pool2d", "n=8 c=64 h=56 w=56 kernel=3 stride=2 padding=1"},
    {"avg_pool2d", "n=8 c=64 h=56 w=56 kernel=3 stride=2 padding=1 layout=nhwc"},
    {"batch_norm", "n=8 c=64 h=56 w=56"},
    {"batch_norm", "n=8 c=64 h=56 w=56 layout=nhwc"},
    {"batch_norm", "n=8 c=64 h=56 w=56 training=false"},
    {"batch_norm", "n=8 c=64 h=56 w=56 training=false layout=nhwc"},
    {"bias_gelu", "rows=512 cols=3072"},
    {"bmm", "batch=16 m=512 n=512 k=64 transpose_b=true library.tf32=true"},
    {"conv2d", "n=8 c=64 h=56 w=56 k=64 r=3 s=3 padding=1"},
    {"conv2d", "n=8 c=64 h=56 w=56 k=64 r=3 s=3 padding=1 bias=true"},
    {"conv2d", "n=8 c=64 h=56 w=56 k=64 r=3 s=3 padding=1 bias=true layout=nhwc"},
    {"conv2d", "n=8 c=64 h=56 w=56 k=64 r=3 s=3 padding=1 groups=64 layout=nhwc"},
    {"fp8_gemm", "m=512 n=512 k=512"},
    {"fp8_gemm", "m=512 n=512 k=512 scale=row"},
    {"gelu", "elements=1048576 approximate=tanh"},
    {"gemm", "m=512 n=1024 k=768 transpose_b=true epilogue=bias library.tf32=true"},
    {"group_norm", "n=8 c=64 h=56 w=56 groups=64"},
    {"group_norm", "n=8 c=64 h=56 w=56 groups=64 layout=nhwc"},
    {"int8_gemm", "m=512 n=512 k=512 transpose_b=true"},
    {"layer_norm", "rows=4096 cols=1024"},
    {"max_pool2d", "n=8 c=64 h=56 w=56 kernel=3 stride=2 padding=1"},
    {"max_pool2d", "n=8 c=64 h=56 w=56 kernel=3 stride=2 padding=1 layout=nhwc"},
    {"relu", "elements=1048576"},
    {"rms_norm", "rows=4096 cols=4096"},
    {"sdpa", "batch=2 heads=16 q_len=512 kv_len=512 head_dim=64 causal=true"},
    {"sdpa", "batch=2 heads=16 q_len=512 kv_len=512 head_dim=64 library.deterministic=true"},
    {"sdpa", "batch=2 heads=16 q_len=512 kv_len=512 head_dim=128"},
    {"sdpa", "batch=2 heads=16 kv_heads=4 q_len=512 kv_len=512 head_dim=128"},
    {"silu", "elements=1048576"},
    {"sum", "rows=4096 cols=1024 axis=rows"},
    {"sum", "rows=4096 cols=1024 axis=cols"},
    {"sum", "rows=4096 cols=1024 axis=all"},
};

/// These, and for other ops with graphs the sizes of suites/catalogue.yaml.
std::vector<TestProblem> planned() {
  std::set<std::string> listed;
  for (const TestProblem& problem : kPlanned) listed.insert(problem.op);
  std::vector<TestProblem> found = kPlanned;
  for (const TestProblem& problem : problems())
    if (!listed.contains(problem.op) && ops_with_graphs().contains(problem.op))
      found.push_back(problem);
  return found;
}

/// Without memory: only shapes matter. The gradient has the shape of the forward output.
Operands shapes_of(const Problem& problem) {
  Operands operands;
  for (const InputSpec& input : find_definition(problem.subject().op)->inputs(problem)) {
    at::Tensor shape = at::empty(
        input.shape, at::TensorOptions().dtype(scalar_type(input.dtype)).device(at::kMeta),
        input.is_channels_last ? std::optional(at::MemoryFormat::ChannelsLast) : std::nullopt);
    operands.inputs.push_back(input.arrange ? input.arrange(shape) : shape);
  }
  if (!problem.is_backward()) return operands;
  Case forward = problem.subject();
  forward.params["direction"] = "forward";
  const Implementation implementation = find_implementation(forward.op, "cudnn");
  operands.output_gradient = at::empty_like(
      graphs_of(implementation)->program(Problem(forward), operands).results.front());
  return operands;
}

/// "" if a plan is built; without a GPU it is not loaded. Some of cuDNN's engines ask the driver to
/// load it.
std::string unbuildable(cudnn::FrontendGraph& graph) {
  std::string reason = "no plans";
  for (std::int64_t plan = 0; plan < graph.plan_count(); ++plan) {
    reason = graph.build_plan(plan);
    if (reason.empty() || reason.find("CUDA_DRIVER") != std::string::npos) return "";
  }
  return reason;
}

/// `builds`: builds plans, which takes a second; else it is enough that there are some.
std::string refusal_of(const Case& subject, bool builds) {
  const Problem problem(subject);
  const Implementation implementation = find_implementation(subject.op, "cudnn");
  const LibrarySettings settings = library_settings(subject.params);
  try {
    const CudnnProgram program = graphs_of(implementation)->program(problem, shapes_of(problem));
    for (const auto& graphs : {program.before, program.launch})
      for (const cudnn::Graph& graph : graphs) {
        cudnn::FrontendGraph built(graph.text(), 90);
        built.find_plans(nullptr,
                         {.allows_tf32 = settings.tf32, .is_deterministic = settings.deterministic},
                         kH200);
        if (built.plan_count() == 0) return "no plans";
        if (const std::string reason = builds ? unbuildable(built) : ""; !reason.empty())
          return reason;
        // Each operand's memory has its place, and scalars and workspace have their own.
        cudnn::Memory memory;
        for (const auto& [uid, tensor] : graph.memory()) memory[uid] = nullptr;
        EXPECT_EQ(built.arranged(memory).size(), memory.size());
      }
  } catch (const Unsupported& reason) {
    return reason.what();
  }
  return "";
}

/// cuDNN's heuristics look for CUDA's driver by name; the toolkit's stand-in is enough for them.
bool loads_driver() {
  return dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) ||
         dlopen(PLUMBLINE_CUDA_STUB, RTLD_NOW | RTLD_GLOBAL);
}
constexpr const char* kNoDriver =
    "neither a CUDA driver nor the toolkit's stand-in " PLUMBLINE_CUDA_STUB;

TEST(CudnnOps, FloatsOfAGraphThatNamesNoTypesAreRoundedOnlyIfAllowed) {
  if (!loads_driver()) GTEST_SKIP() << kNoDriver;
  const auto reason = [](bool allows_tf32) {
    cudnn::FrontendGraph graph(R"({
      "context": {"io_data_type": "FLOAT", "compute_data_type": "FLOAT"},
      "tensors": {"a": {"dim": [1, 64, 64], "stride": [4096, 64, 1]},
                  "b": {"dim": [1, 64, 64], "stride": [4096, 64, 1]}, "c": {}},
      "nodes": [{"tag": "MATMUL", "inputs": {"A": "a", "B": "b"}, "outputs": {"C": "c"}}]})",
                               90);
    try {
      graph.find_plans(nullptr, {.allows_tf32 = allows_tf32}, kH200);
    } catch (const Unsupported& refusal) {
      return std::string(refusal.what());
    }
    return unbuildable(graph);
  };
  EXPECT_EQ(reason(true), "");
  EXPECT_NE(reason(false).find("round float32 operands to TF32"), std::string::npos);
}

/// For float64, cuBLASLt may multiply, and it first asks for a device.
bool needs_device(const std::string& op, DType dtype) {
  return dtype == DType::float64 && (op == "gemm" || op == "bmm");
}

/// Plans that ran on an H200 but gave wrong results (backends/cudnn/README.md).
bool has_wrong_plans(const std::string& op, DType dtype) {
  return op == "conv2d" && dtype == DType::float64;
}

TEST(CudnnOps, AnH200HasPlansForWhatTheCatalogueOffersAndForNoOtherDtype) {
  if (!loads_driver()) GTEST_SKIP() << kNoDriver;
  for (const TestProblem& tested : planned())
    for (const DType dtype : spec_of(tested.op).dtypes) {
      if (needs_device(tested.op, dtype) || has_wrong_plans(tested.op, dtype)) continue;
      for (const bool is_backward : {false, true}) {
        if (is_backward && !spec_of(tested.op).has_backward) continue;
        const Case subject = case_of(tested, dtype, is_backward);
        SCOPED_TRACE(tested.op + " " + tested.params + " " + std::string(info(dtype).name) +
                     (is_backward ? " backward" : ""));
        const std::string limit = limit_of(subject);
        // Plans for float16 also exist for bfloat16.
        const bool has_twin = dtype == DType::bfloat16 &&
                              std::ranges::count(spec_of(tested.op).dtypes, DType::float16) > 0;
        if (limit.empty()) {
          EXPECT_EQ(refusal_of(subject, !has_twin), "");
        } else if (is_of_dtype(limit)) {
          EXPECT_NE(refusal_of(subject, !has_twin), "") << "the limit can go: " << limit;
        }
      }
    }
}

}  // namespace
}  // namespace plumbline
