/// What a worker has for its whole life: the device, LibTorch set up on it, and records of both.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/laps.h"
#include "device/counters.h"
#include "device/device.h"
#include "device/streams.h"
#include "protocol/messages.h"
#include "worker/verify/kept_results.h"
#include "worker/verify/race_check.h"

namespace plumbline {

struct SessionOptions {
  std::string device = "cpu";  // cpu, cuda, cuda:N
  Profile profile = Profile::timing;
  std::vector<std::string> extensions;  // LibTorch extensions (.so) to load
  int plain_launches = 0;               // per case, for profilers and checkers; 0: measure
  bool calibrates = false;              // also reports the device's peaks in its first line
  /// Another worker's to measure in; "share": offers its own; kNoArena: LibTorch's own allocator.
  std::string arena;
};

class Session {
 public:
  /// Throws Error for an unknown device, a profile that the device does not have, or an extension
  /// that does not load; DeviceError if the device fails.
  explicit Session(const SessionOptions& options);

  Device& device() { return *device_; }
  bool is_cuda() const { return is_cuda_; }
  Profile profile() const { return profile_; }
  /// The stream of the cases: a cudaStream_t; null on a CPU.
  void* stream() const;
  /// The most memory that the tensors of a case can have together: the arena, else the device's.
  double room_bytes() const { return room_bytes_; }
  /// Waits for all work on the device, on all streams; throws DeviceError if any of it failed.
  void settle();
  /// The GPU's counters; null if the profile is not counters.
  Counters* counters();
  /// The GPU's streams for cases with several, opened at first use.
  StreamDevice& streams();
  /// The next case computes on that many GPUs together; LibTorch's current stream on each of them
  /// is the rank's. Throws Unsupported if this machine cannot.
  void use_ranks(int count);
  /// Where to look for races on the GPU.
  RaceSite race_site();
  /// Expected results of this worker and of earlier ones.
  KeptResults& kept_results() { return kept_results_; }
  /// Launches of each case that are neither held nor timed (plain_launches.h); 0: cases are
  /// measured.
  int plain_launches() const { return plain_launches_; }
  /// Files of the loaded extensions and of all that they link.
  const std::vector<FileRef>& extension_files() const { return extension_files_; }
  /// Times the sentinels and returns the worker's first answer.
  Hello hello();

 private:
  void measure_room(std::size_t arena_bytes);
  void open_cuda(const SessionOptions& options);
  void open_cpu();

  std::unique_ptr<Device> device_;
  std::unique_ptr<StreamDevice> streams_;
  KeptResults kept_results_ = inherited_results();
  std::map<std::string, double> calibration_;
  Laps start_;  // times of its start
  std::vector<FileRef> extension_files_;
  Profile profile_;
  std::string arena_;
  double room_bytes_ = 0;
  bool is_cuda_ = false;
  int plain_launches_ = 0;
};

/// For a worker that stands by: does the host's and the driver's part of a Session in advance. Runs
/// nothing on the device and takes no memory there.
void prepare_session(const SessionOptions& options);

/// Environments of all devices of this machine, best first: {"cuda:0", …}, …, {"cpu", …}.
std::vector<std::pair<std::string, Environment>> all_devices();

/// Loads LibTorch extensions; their operators are then in the dispatcher.
void load_extensions(const std::vector<std::string>& paths);

/// Schemas of all operators in the dispatcher, sorted.
std::vector<std::string> operator_schemas();

}  // namespace plumbline
