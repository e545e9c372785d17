#include "worker/verify/race_check.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cmath>

#include "backends/libtorch/workspaces.h"
#include "core/value.h"
#include "device/cuda/kernels.h"
#include "measure/delay_patterns.h"
#include "worker/verify/frozen_inputs.h"

namespace plumbline {
namespace {

using cuda::check;

/// LibTorch reuses the same 32 streams for each of its two usual priorities.
constexpr int kPoolStreams = 32;
/// A delay must be longer than a launch and its enqueue, or nothing can overtake it.
constexpr double kDelayMin_s = 1e-3;
constexpr double kDelayMax_s = 100e-3;
constexpr double kDelayPerEnqueue = 4;
constexpr double kDelayPerLaunch = 2;
/// A mistake in one of ten launches without any delay is not a race.
constexpr int kUndelayedLaunches = 20;

class OwnStream {
 public:
  explicit OwnStream(int priority) {
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority),
          "cudaStreamCreateWithPriority");
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  ~OwnStream() {
    cudaEventDestroy(end_);
    cudaEventDestroy(begin_);
    cudaStreamDestroy(stream_);
  }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  cudaStream_t get() const { return stream_; }
  void begin() { check(cudaEventRecord(begin_, stream_), "cudaEventRecord"); }
  void end() { check(cudaEventRecord(end_, stream_), "cudaEventRecord"); }
  double elapsed_s() const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

std::vector<cudaStream_t> pool_streams(int ordinal) {
  std::vector<cudaStream_t> streams;
  for (const bool is_high : {false, true})
    for (int i = 0; i < kPoolStreams; ++i)
      streams.push_back(c10::cuda::getStreamFromPool(is_high, c10::DeviceIndex(ordinal)).stream());
  return streams;
}

/// Restores the device's own stream in any case.
class WorkOn {
 public:
  WorkOn(const RaceSite& site, cudaStream_t stream) : site_(site) { site_.work_on(stream); }
  ~WorkOn() { site_.work_on(nullptr); }

 private:
  const RaceSite& site_;
};

/// Runs all launches on one stream, the launch's "main" one.
class Hunt {
 public:
  Hunt(const RaceSite& site, const RaceSubject& subject, const FrozenInputs& inputs, int priority)
      : site_(site),
        subject_(subject),
        inputs_(inputs),
        main_(priority),
        guard_(c10::cuda::getStreamFromExternal(main_.get(), c10::DeviceIndex(site.ordinal))),
        work_on_(site, main_.get()),
        pool_(pool_streams(site.ordinal)) {}
  ~Hunt() { cudaDeviceSynchronize(); }

  std::string run() {
    prepared_ = subject_.prepare();
    restore_and_launch();  // loads code
    synchronize();
    const double enqueue_s = restore_and_launch();
    synchronize();
    const double launch_s = main_.elapsed_s();
    delay_s_ = std::clamp(std::max(kDelayPerEnqueue * enqueue_s, kDelayPerLaunch * launch_s),
                          kDelayMin_s, kDelayMax_s);
    std::string found = round("the launch's stream", true, {});
    if (!found.empty()) return found;
    found = round("every side stream", false, std::vector<bool>(pool_.size(), true));
    const bool has_waited_for_one = main_.elapsed_s() > launch_s + delay_s_ / 2;
    if (!found.empty() || !has_waited_for_one) return found;
    for (const std::vector<bool>& pattern : delay_patterns(int(pool_.size())))
      if (found = round("half of the side streams", false, pattern); !found.empty()) return found;
    return "";
  }

 private:
  static void synchronize() { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

  /// Returns the seconds of the enqueue.
  double restore_and_launch() {
    poison_results(prepared_.results(), main_.get());
    inputs_.restore(main_.get());
    prepared_.clear();
    main_.begin();
    const double begin_s = site_.device.now_s();
    site_.device.begin_launch();
    prepared_.launch();
    const double enqueue_s = site_.device.now_s() - begin_s;
    main_.end();
    return enqueue_s;
  }

  /// What is wrong with launches without a delayed stream; "": nothing.
  std::string undelayed() {
    for (int i = 0; i < kUndelayedLaunches; ++i) {
      restore_and_launch();
      synchronize();
      if (std::string mistake = subject_.mistake(prepared_.results()); !mistake.empty())
        return mistake;
    }
    return "";
  }

  void delay(cudaStream_t stream) { cuda::launch_rest(std::uint64_t(delay_s_ * 1e9), stream); }

  std::string round(const char* delayed, bool is_main_delayed, const std::vector<bool>& side) {
    inputs_.spoil(main_.get());
    synchronize();
    for (std::size_t i = 0; i < side.size(); ++i)
      if (side[i]) delay(pool_[i]);
    if (is_main_delayed) delay(main_.get());
    restore_and_launch();
    Tensors snapshot;  // what the launch's stream sees now, not a moment later
    for (const at::Tensor& result : prepared_.results()) snapshot.push_back(result.clone());
    synchronize();
    const std::string mistake = subject_.mistake(snapshot);
    if (mistake.empty()) return "";
    if (const std::string without = undelayed(); !without.empty())
      return "some launches are wrong though nothing delays their streams: " + without;
    return "a race between streams: with " + std::string(delayed) + " delayed by " +
           shortest_text(std::round(delay_s_ * 1e4) / 10) + " ms, " + mistake;
  }

  const RaceSite& site_;
  const RaceSubject& subject_;
  const FrozenInputs& inputs_;
  OwnStream main_;
  c10::cuda::CUDAStreamGuard guard_;
  WorkOn work_on_;
  std::vector<cudaStream_t> pool_;
  Prepared prepared_;
  double delay_s_ = kDelayMin_s;
};

}  // namespace

std::string find_races(const RaceSite& site, const RaceSubject& subject) {
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const FrozenInputs inputs(subject.inputs);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  // Streams of one priority share hardware queues: a delayed side stream may block the launch's own
  // stream and hide the race. Streams of another priority use other queues.
  for (const int priority : {least, greatest})
    if (const std::string found = Hunt(site, subject, inputs, priority).run(); !found.empty())
      return found;
  inputs.restore(c10::cuda::getCurrentCUDAStream());
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  drop_workspaces();  // of streams that no longer exist
  return "";
}

}  // namespace plumbline
