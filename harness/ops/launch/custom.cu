#include "backends/custom/custom_kernels.h"
#include "backends/problem.h"
#include "device/cuda/kernels.h"

namespace plumbline {
namespace {

using cuda::check;

__global__ void store_number_kernel(float* y, int i) { y[i] = float(i); }

void one_by_one(const KernelCall& call) {
  auto* const y = static_cast<float*>(call.outputs[0]);
  const int count = int(call.problem.integer("count"));
  for (int i = 0; i < count; ++i) store_number_kernel<<<1, 1, 0, call.stream>>>(y, i);
}

bool is_graph(const Problem& problem) { return problem.text("kind") == "graph"; }

/// The launches as a graph, captured on a separate stream: the legacy default stream cannot be
/// captured.
cudaGraph_t captured(KernelCall call) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamCreateWithFlags(&call.stream, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags");
  check(cudaStreamBeginCapture(call.stream, cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
  one_by_one(call);
  const cudaError_t code = cudaStreamEndCapture(call.stream, &graph);
  cudaStreamDestroy(call.stream);
  check(code, "cudaStreamEndCapture");
  return graph;
}

/// The launches as a graph that is ready on the device; null if they are launched one by one.
std::shared_ptr<const void> graph_of(const KernelCall& call) {
  if (!is_graph(call.problem)) return nullptr;
  cudaGraph_t graph = captured(call);
  cudaGraphExec_t ready = nullptr;
  const cudaError_t code = cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphDestroy(graph);
  check(code, "cudaGraphInstantiate");
  std::shared_ptr<const void> state(ready,
                                    [](cudaGraphExec_t done) { cudaGraphExecDestroy(done); });
  check(cudaGraphUpload(ready, call.stream), "cudaGraphUpload");
  return state;
}

/// An error remains as CUDA's last error, where the caller looks for it.
void launch(const KernelCall& call) {
  if (!is_graph(call.problem)) return one_by_one(call);
  auto* const ready = static_cast<cudaGraphExec_t>(const_cast<void*>(call.state));
  (void)cudaGraphLaunch(ready, call.stream);
}

std::vector<KernelOutput> outputs(const Problem& p) { return {{{p.integer("count")}, p.dtype()}}; }

}  // namespace

CustomKernels launch_custom() {
  return {.kernels = {{"store_number", launch}}, .outputs = outputs, .state = graph_of};
}

}  // namespace plumbline
