/// NVML, opened at run time: what the driver knows of a GPU in addition to CUDA.
///
/// Everything is optional: without libnvidia-ml.so.1, or if a query is not supported, answers are
/// empty texts and NaN. A query costs about 1 µs, or up to 3 ms if the driver has to ask the
/// device.
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
  /// The GPU with this UUID ("GPU-…"). If CUDA sees a MIG instance: the GPU that contains it.
  explicit Nvml(const std::string& uuid, const char* library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Fills in the driver's information about the GPU and its configuration; changes nothing.
  void describe(Environment& environment) const;

  /// What PCIe has between this GPU and the one with that UUID, NVLinks apart: "one PCIe switch",
  /// "two NUMA nodes", …; "" = unknown.
  std::string path_to(const std::string& uuid) const;

  /// Up to `count` children of that process belong to this measurement: on this GPU they do not
  /// count as foreign.
  void expect_children(unsigned parent_id, std::size_t count);

  /// Sensors, clocks and other processes now; foreign work since the last call or since watch(). Up
  /// to 3 ms.
  DeviceState state();

  /// The next state() ignores foreign work before now.
  void watch();

  /// Energy since the driver was loaded, joules; updated about 10 times a second. Costs 2 to 3 ms.
  double energy_j() const;

  /// Hertz; NaN if unknown.
  double sm_clock_hz() const;

  /// Only for ClockLock: nothing else changes a setting of a device. Both return "", or NVML's
  /// reason for refusing. 0 MHz = the clock that the device can hold within its power limit.
  std::string lock_sm_clock(unsigned mhz);
  std::string unlock_sm_clock();

 private:
  struct Library;
  struct Processes {
    std::vector<unsigned> ids;
    bool has_mps = false;  // some of them share a context through MPS
  };
  Processes processes() const;
  std::string process_name(unsigned process_id) const;
  std::vector<unsigned> working_since_last_time();
  bool are_foreign(std::vector<unsigned> ids, bool is_own_known) const;
  std::string clocks_setting() const;
  unsigned active_links() const;  // NVLinks
  void describe_errors(Environment& environment) const;
  std::string words_for(int code) const;

  std::unique_ptr<Library> library_;
  unsigned own_ = 0;
  unsigned expected_parent_ = 0;
  std::size_t expected_children_ = 0;
  unsigned long long last_seen_us_ = 0;     // of the driver's utilization samples
  unsigned long long watched_from_us_ = 0;  // by the same clock
};

}  // namespace plumbline::cuda
