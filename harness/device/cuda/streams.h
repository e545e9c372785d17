/// Streams of one NVIDIA GPU as a case declares them: forked behind one hold, joined into one
/// event.
///
/// Streams use the device's whole range of priorities and live as long as the process. (LibTorch's
/// pool ends at -3 and hands out the same 32 streams again.) Knows no LibTorch: launches choose
/// their stream by its handle.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/cuda/background_load.h"
#include "device/cuda/kernels.h"
#include "device/cuda/kernels_of_launch.h"
#include "device/streams.h"

namespace plumbline::cuda {

/// What the streams need from their device.
struct StreamsSite {
  cudaStream_t main = nullptr;  // the device's own stream
  int ordinal = 0;
  CuptiTracer* tracer = nullptr;  // its time stamps give makespans; null: events do
  CodeOf code_of;                 // of the tracer's kernels
  /// Restricts allocations from now on to one of `parts` equal parts of the memory; they are
  /// guarded and poisoned on that stream.
  std::function<void(int part, int parts, cudaStream_t stream)> work_in;
  std::function<void()> begin_window;  // memory is expected at the places of earlier launches
  std::function<bool()> end_window;    // true: some memory was at a new place
};

/// CUDA_DEVICE_MAX_CONNECTIONS of this process, else CUDA's default.
int connections_of_process();

class Streams final : public StreamDevice {
 public:
  /// Throws DeviceError.
  explicit Streams(StreamsSite site);
  ~Streams() override;

  std::string open(const StreamSetup& setup) override;
  void close() override;
  TimerFloor fork_join_floor() const override;
  void* handle(int stream) const override { return at(stream); }
  void work_for(int instance, bool alone) override;
  void run(const StreamLaunch& launch, const std::vector<bool>& delayed, double delay_s) override;
  StreamReading time_block(const StreamLaunch& launch, const StreamPlan& plan) override;
  void synchronize() override { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }
  bool is_traced() const override { return site_.tracer != nullptr; }

 private:
  using Enqueue = std::function<void()>;
  struct DestroyGraph {
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  };
  using Graph = std::unique_ptr<CUgraphExec_st, DestroyGraph>;
  /// What is timed: a launch, or the graphs into which it was captured.
  struct Subject {
    const StreamLaunch& launch;
    int alone_instances;  // run one after the other on stream 0
    Graph forked, alone;  // null: launched directly
  };
  /// Readings of empty launches.
  struct Floor {
    double makespan_s = 0, alone_s = 0;
    std::vector<double> latencies_s;
  };

  cudaStream_t at(int stream) const { return streams_.at(std::size_t(stream)); }
  std::string choose_streams(const StreamSetup& setup);
  Floor calibrated();
  bool is_held() const { return setup_.overlap != Overlap::copy_pageable; }

  void enqueue_instances(const StreamLaunch& launch, bool is_first);
  void enqueue_forked(const StreamLaunch& launch, int batch, cudaEvent_t fork,
                      const std::vector<cudaEvent_t>& ends);
  void enqueue_alone(const Subject& subject, int batch, cudaEvent_t fork, cudaEvent_t end);
  Graph captured(const Enqueue& enqueue);
  Subject subject_of(const StreamLaunch& launch, int alone_instances);

  double seconds_of(const Enqueue& before, const Enqueue& enqueue, StreamReading& reading);
  void time_forked(const Subject& subject, int batch, StreamReading& reading, StreamSample& sample);
  double time_alone(const Subject& subject, int batch, StreamReading& reading);
  void time_loaded(const Enqueue& timed, StreamReading& reading);
  StreamSample timed_sample(const Subject& subject, int batch, bool is_odd, StreamReading& reading);
  StreamSample traced_sample(const Subject& subject, StreamReading& reading);
  void take_samples(const StreamLaunch& launch, const StreamPlan& plan, StreamReading& reading);

  StreamsSite site_;
  StreamSetup setup_;
  std::map<std::pair<int, unsigned>, std::vector<cudaStream_t>> kept_;  // by priority and flags
  std::vector<cudaStream_t> streams_;                                   // of the open case
  cudaStream_t hold_stream_ = nullptr;
  cudaEvent_t fork_ = nullptr, join_ = nullptr, quick_fork_ = nullptr;  // quick: not timed
  std::vector<cudaEvent_t> ends_, done_;                                // by stream: timed, and not
                                                                        // timed
  HoldState* hold_ = nullptr;                                           // mapped host memory
  ClockReading* clocks_ = nullptr;  // two of them, mapped host memory
  double clock_cycles_ = 0, clock_ns_ = 0;
  std::unique_ptr<BackgroundLoad> load_;
  bool is_calibrated_ = false;
  Floor floor_;  // of the open case
};

}  // namespace plumbline::cuda
