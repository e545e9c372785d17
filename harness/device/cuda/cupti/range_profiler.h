/// Hardware counters of a range of work on one GPU, by CUPTI's range profiler.
///
/// The hardware counts only some counters at a time, so the work runs several times: once for each
/// pass (CUPTI's user replay). Between ranges the profiler is off. It and activity tracing
/// (cupti_tracer.h) exclude one another, so workers of the profile counters trace nothing. libcupti
/// is opened at run time. Knows counters by NVIDIA's names; counter_formulas.h knows metrics.
#pragma once

#include <cuda.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda/cupti/cupti_library.h"

namespace plumbline::cuda {

class RangeProfiler {
 public:
  /// Schedules those of the `wanted` counters (`dram__bytes.sum`) that this chip has, and tries
  /// whether the driver allows to read them. Throws DeviceError with what is missing or refused,
  /// and what to do. `context`: of the GPU `ordinal`, where the work runs.
  RangeProfiler(int ordinal, CUcontext context, std::span<const std::string_view> wanted,
                const char* library = CuptiLibrary::kName);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Those of `wanted` that CUPTI knows for the chip, which need not be here. Throws DeviceError.
  static std::vector<std::string> counters_of(const std::string& chip,
                                              std::span<const std::string_view> wanted,
                                              const char* library = CuptiLibrary::kName);

  /// CUPTI's name of the chip: "GH100".
  const std::string& chip() const { return chip_; }
  /// Counters that the chip has, of those that were wanted.
  const std::vector<std::string>& counters() const { return counters_; }

  /// One pass: `work` is counted, the others are not. Each returns when the GPU has done it.
  struct Pass {
    std::function<void()> before, work, after;
  };
  /// Runs the pass until every counter was on, and returns their values by name. Throws
  /// DeviceError, and what the pass throws; the profiler is then off.
  std::map<std::string, double> count(const Pass& pass);

 private:
  struct Library;
  class Host;
  class Session;
  static std::vector<std::string> known(const Library& cupti, const std::string& chip,
                                        std::span<const std::string_view> wanted);
  void require_support(int ordinal);
  void require_permission();
  void find_counters(std::span<const std::string_view> wanted);

  std::unique_ptr<Library> library_;
  CUcontext context_;
  std::string chip_;
  std::vector<std::string> counters_;
  std::unique_ptr<Host> host_;
};

}  // namespace plumbline::cuda
