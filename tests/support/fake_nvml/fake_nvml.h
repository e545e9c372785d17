/// The answers of the fake NVML. A test in the same process changes them through fake_nvml(). For a
/// started program, $PLUMBLINE_FAKE_NVML_LOG names a file that gets a line per changed setting; if
/// $PLUMBLINE_FAKE_NVML_REFUSES is set, such changes are refused.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace plumbline::testing_support {

struct FakeSample {
  unsigned process_id, sm_percent;
  unsigned long long time_us;
};

struct FakeNvml {
  std::string uuid = "GPU-1";
  std::string mig_uuid;      // of a MIG instance of the GPU
  std::string other_uuid;    // of a second GPU
  unsigned topology = 10;    // nvmlGpuTopologyLevel_t between both
  unsigned nvlinks = 0;      // that are active
  bool is_supported = true;  // false: every query reports that it is not supported
  unsigned sm_mhz = 1500, app_mhz = 1980, app_default_mhz = 1980;
  unsigned long long reasons = 0;
  unsigned long long ecc_corrected = 3, ecc_uncorrected = 1, link_errors = 5;  // of each kind
  unsigned remapped_corrected = 2, remapped_uncorrected = 1, remap_pending = 1, remap_failed = 0;
  std::vector<unsigned> processes, mps_processes;
  std::map<unsigned, std::string> names;
  std::vector<FakeSample> samples;
};

}  // namespace plumbline::testing_support

extern "C" plumbline::testing_support::FakeNvml* fake_nvml();
