#include "backends/libtorch/captured_launches.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>

#include "device/cuda/kernels.h"

namespace plumbline {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status == cudaStreamCaptureStatusActive;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The message of what the launches throw while they are recorded; "" if nothing.
std::string mistake_of(const Launch& launch, int launches) {
  try {
    for (int i = 0; i < launches; ++i) launch();
    return "";
  } catch (const c10::Error& error) {
    return first_line(error.what_without_backtrace());
  } catch (const std::exception& error) {
    return first_line(error.what());
  }
}

}  // namespace

CapturedLaunches::CapturedLaunches(const Launch& launch, int launches)
    : launches_(launches), pool_(at::cuda::graph_pool_handle()) {
  const c10::cuda::CUDAStream stream = c10::cuda::getCurrentCUDAStream();
  stream_ = stream.stream();
  ordinal_ = stream.device_index();
  cudaGraph_t graph = nullptr;
  std::string mistake = record(launch, graph);
  std::size_t nodes = 0;
  if (mistake.empty() && cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 0)
    mistake = "the launch enqueues nothing on its stream";
  if (mistake.empty()) {
    const cudaError_t code = cudaGraphInstantiateWithFlags(
        &graph_, graph,
        cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority);
    if (code != cudaSuccess) mistake = cudaGetErrorString(code);
  }
  if (graph != nullptr) cudaGraphDestroy(graph);
  if (mistake.empty()) return;
  cudaGetLastError();  // a failed capture leaves an error that later callers must not see
  allocator::releasePool(static_cast<c10::DeviceIndex>(ordinal_), pool_);
  throw Uncapturable(mistake);
}

std::string CapturedLaunches::record(const Launch& launch, cudaGraph_t& graph) {
  const auto device = static_cast<c10::DeviceIndex>(ordinal_);
  cuda::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  allocator::beginAllocateToPool(device, pool_, is_captured);
  std::string mistake;
  cudaError_t code = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
  if (code == cudaSuccess) {
    mistake = mistake_of(launch, launches_);
    code = cudaStreamEndCapture(stream_, &graph);
  }
  allocator::endAllocateToPool(device, pool_);
  if (mistake.empty() && code != cudaSuccess) mistake = cudaGetErrorString(code);
  return mistake;
}

CapturedLaunches::~CapturedLaunches() {
  if (graph_ == nullptr) return;
  cudaGraphExecDestroy(graph_);
  allocator::releasePool(static_cast<c10::DeviceIndex>(ordinal_), pool_);
}

void CapturedLaunches::replay() const {
  cuda::check(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch");
}

}  // namespace plumbline
