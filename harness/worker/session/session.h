/// A worker's footing for its whole life: the device, LibTorch set up on it, and what is recorded
/// of both.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/laps.h"
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
  int plain_launches = 0;               // of each case, for profilers and checkers; 0: measure
  bool calibrates = false;              // the device's peaks too, in its first line
  std::string arena;  // another worker's to measure in, or "share": offer one's own
};

class Session {
 public:
  /// Throws Error for an unknown device, a profile that the device does not have, or an extension
  /// that does not load; DeviceError where the device refuses.
  explicit Session(const SessionOptions& options);

  Device& device() { return *device_; }
  bool is_cuda() const { return is_cuda_; }
  Profile profile() const { return profile_; }
  /// The stream that cases are launched on: a cudaStream_t, null on a CPU.
  void* stream() const;
  /// Waits for all work on the device, whatever stream a launch left it on; throws DeviceError if
  /// any of it failed.
  void settle();
  /// Several streams of the GPU, opened at first use.
  StreamDevice& streams();
  /// Where races are looked for on the GPU.
  RaceSite race_site();
  /// Expected results of this worker's and of those before it.
  KeptResults& kept_results() { return kept_results_; }
  /// Launches of each case that are neither held nor timed (plain_launches.h); 0: cases are
  /// measured.
  int plain_launches() const { return plain_launches_; }
  /// Of the extensions that were loaded, and what they link.
  const std::vector<FileRef>& extension_files() const { return extension_files_; }
  /// Times the sentinels.
  Hello hello();

 private:
  void open_cuda(const SessionOptions& options);
  void open_cpu();

  std::unique_ptr<Device> device_;
  std::unique_ptr<StreamDevice> streams_;
  KeptResults kept_results_ = inherited_results();
  std::map<std::string, double> calibration_;
  Laps start_;  // what its start takes
  std::vector<FileRef> extension_files_;
  Profile profile_;
  std::string arena_;
  bool is_cuda_ = false;
  int plain_launches_ = 0;
};

/// Does ahead what a Session needs of the host and the driver, for one that stands by: it neither
/// runs anything on the device nor takes memory there.
void prepare_session(const SessionOptions& options);

/// Environments of all devices of this machine, best first: {"cuda:0", …}, …, {"cpu", …}.
std::vector<std::pair<std::string, Environment>> all_devices();

/// Loads LibTorch extensions, after which their operators are in the dispatcher.
void load_extensions(const std::vector<std::string>& paths);

/// Schemas of all operators that the dispatcher knows, sorted.
std::vector<std::string> operator_schemas();

}  // namespace plumbline
