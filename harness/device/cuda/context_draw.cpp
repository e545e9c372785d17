#include "device/cuda/context_draw.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "core/run/context_kind.h"
#include "device/cuda/kernels.h"

namespace plumbline::cuda {
namespace {

constexpr int kKernels = 8;
constexpr std::int64_t kCycles = 4000;  // 2 us each: the gaps between them are a third of the chain
constexpr int kChains = 30;
constexpr std::uint64_t kWatchdogNs = 100'000'000;

/// Enqueues chains behind a hold and returns their times by events, in seconds.
std::vector<double> time_chains(cudaStream_t stream, HoldState* hold) {
  cudaEvent_t events[kChains + 1];
  for (cudaEvent_t& event : events) check(cudaEventCreate(&event), "cudaEventCreate");
  hold->released = 0;
  hold->expired = 0;
  launch_hold(hold, kWatchdogNs, stream);
  check(cudaEventRecord(events[0], stream), "cudaEventRecord");
  for (int i = 0; i < kChains; ++i) {
    for (int k = 0; k < kKernels; ++k) launch_spin(kCycles, stream);
    check(cudaEventRecord(events[i + 1], stream), "cudaEventRecord");
  }
  hold->released = 1;
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::vector<double> times_s;
  for (int i = 0; i < kChains; ++i) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events[i], events[i + 1]), "cudaEventElapsedTime");
    times_s.push_back(milliseconds * 1e-3);
  }
  return times_s;
}

/// Mean of the middle half of the chains, after one round that loads the code.
double chain_s() {
  cudaStream_t stream = nullptr;
  HoldState* hold = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  check(cudaHostAlloc(reinterpret_cast<void**>(&hold), sizeof *hold, cudaHostAllocMapped),
        "cudaHostAlloc");
  time_chains(stream, hold);
  std::vector<double> times_s = time_chains(stream, hold);
  std::ranges::sort(times_s);
  constexpr int kLeftOut = kChains / 4, kCounted = kChains - 2 * kLeftOut;
  double sum = 0;
  for (int i = kLeftOut; i < kLeftOut + kCounted; ++i) sum += times_s[std::size_t(i)];
  return sum / kCounted;
}

}  // namespace

bool is_good_draw(const std::vector<double>& chains_s, double known_s) {
  if (chains_s.size() >= std::size_t(kDrawsMax)) return true;
  if (chains_s.back() <= known_s * (1 + kSameContextKind)) return true;
  return chains_s.size() >= std::size_t(kDrawsMin) &&
         chains_s.back() <= *std::ranges::min_element(chains_s) * (1 + kSameContextKind);
}

ContextDraw draw_context(int ordinal, double known_s) {
  check(cudaSetDevice(ordinal), "cudaSetDevice");
  std::vector<double> chains_s;
  while (true) {
    chains_s.push_back(chain_s());
    if (is_good_draw(chains_s, known_s)) return {chains_s.back(), int(chains_s.size())};
    check(cudaDeviceReset(), "cudaDeviceReset");
  }
}

}  // namespace plumbline::cuda
