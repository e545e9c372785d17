#include "device/cuda/background_load.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "device/cuda/kernels.h"

namespace plumbline::cuda {
namespace {

constexpr double kLongest_s = 0.5;
/// For the backlog: time of a block, and blocks of one kernel per multiprocessor.
constexpr double kBlock_s = 20e-6;
constexpr int kWaves = 50;
constexpr double kStartLimit_s = 0.2;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

BackgroundLoad::BackgroundLoad(int ordinal, double share) : is_backlog_(share >= 1) {
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, least),
        "cudaStreamCreateWithPriority");
  check(cudaEventCreateWithFlags(&ended_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(LoadState), cudaHostAllocMapped), "cudaHostAlloc");
  state_ = static_cast<LoadState*>(memory);
  shared_bytes_ = prepare_load(ordinal);
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, ordinal),
        "cudaDeviceGetAttribute");
  // Resident blocks must leave a multiprocessor to the measured launch, or it would never run.
  const int most =
      std::min(is_backlog_ ? multiprocessors : multiprocessors - 1, LoadState::kBlocksMax);
  blocks_ = std::clamp(int(std::lround(share * multiprocessors)), 1, std::max(1, most));
}

BackgroundLoad::~BackgroundLoad() {
  state_->released = 1;
  cudaStreamSynchronize(stream_);
  cudaEventDestroy(ended_);
  cudaStreamDestroy(stream_);
  cudaFreeHost(state_);
}

int BackgroundLoad::blocks_started() const {
  int count = 0;
  for (int i = 0; i < blocks_; ++i) count += state_->started[i] != 0 ? 1 : 0;
  return count;
}

std::string BackgroundLoad::start() {
  state_->released = 0;
  for (int i = 0; i < blocks_; ++i) state_->started[i] = 0;
  if (is_backlog_) {
    const int kernels = std::max(1, int(std::ceil(lasts_s_ / (kWaves * kBlock_s))));
    for (int i = 0; i < kernels; ++i)
      launch_load(state_, blocks_ * kWaves, shared_bytes_, std::uint64_t(kBlock_s * 1e9), stream_);
  } else {
    launch_load(state_, blocks_, shared_bytes_, std::uint64_t(lasts_s_ * 1e9), stream_);
  }
  check(cudaEventRecord(ended_, stream_), "cudaEventRecord");
  const double begin_s = now_s();
  while (blocks_started() < blocks_)
    if (now_s() - begin_s > kStartLimit_s) {
      const int started = blocks_started();
      stop();
      return "only " + std::to_string(started) + " of " + std::to_string(blocks_) +
             " blocks of the background load got a multiprocessor within 0.2 s";
    }
  return "";
}

bool BackgroundLoad::stop() {
  const cudaError_t state = cudaEventQuery(ended_);
  if (state != cudaErrorNotReady) check(state, "cudaEventQuery of the background load");
  const bool was_running = state == cudaErrorNotReady;
  state_->released = 1;
  check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize of the background load");
  if (!was_running) lasts_s_ = std::min(2 * lasts_s_, kLongest_s);
  return was_running;
}

}  // namespace plumbline::cuda
