/// NVML, opened at run time: what the driver knows of a GPU beyond what CUDA tells.
///
/// Everything is optional: without libnvidia-ml.so.1, or where a query is not supported, the
/// answers are empty texts and NaN. A query costs about 1 µs; where the driver has not asked the
/// device for a while, up to 3 ms.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/device.h"

namespace plumbline::cuda {

class Nvml {
 public:
  /// The GPU with this UUID ("GPU-…"; the GPU that holds it where CUDA sees a MIG instance).
  explicit Nvml(const std::string& uuid, const char* library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Fills what the driver tells of the GPU and of how it is set up; asks, changes nothing.
  void describe(Environment& environment) const;

  /// Up to `count` children of that process are part of this measurement: they are not foreign on
  /// this GPU.
  void expect_children(unsigned parent_id, std::size_t count);

  /// Sensors, clocks and who else is there, now; foreign work since the last call, or since
  /// watch(). Up to 3 ms.
  DeviceState state();

  /// Foreign work before now is of no interest.
  void watch();

  /// Energy since the driver was loaded, joules; it moves about 10 times a second. Costs 2 to 3 ms.
  double energy_j() const;

  /// Hertz, NaN where unknown.
  double sm_clock_hz() const;

  /// For ClockLock alone: nothing else changes a setting of a device. Both return "", or NVML's
  /// words for why it refuses. 0 MHz = the clock that the device holds within its power limit.
  std::string lock_sm_clock(unsigned mhz);
  std::string unlock_sm_clock();

 private:
  struct Library;
  struct Processes {
    std::vector<unsigned> ids;
    bool has_mps = false;  // some of them share a context of the multi-process service
  };
  Processes processes() const;
  std::string process_name(unsigned process_id) const;
  std::vector<unsigned> working_since_last_time();
  bool are_foreign(std::vector<unsigned> ids, bool is_own_known) const;
  std::string clocks_setting() const;
  std::string words_for(int code) const;

  std::unique_ptr<Library> library_;
  unsigned own_ = 0;
  unsigned expected_parent_ = 0;
  std::size_t expected_children_ = 0;
  unsigned long long last_seen_us_ = 0;     // of the driver's samples of utilization
  unsigned long long watched_from_us_ = 0;  // by the same clock
};

}  // namespace plumbline::cuda
