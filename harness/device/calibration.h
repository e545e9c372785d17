/// What a device reaches, measured: rates and times by name, each with how far off it may be.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace plumbline {

/// Values in SI units: copy_bytes_per_s, matmul_float16_flops_per_s, launch_s, …; beside each
/// `<name>_uncertainty` in the same unit.
struct Calibration {
  std::map<std::string, double> values;
  std::map<std::string, std::string> absent;  // name -> why it could not be measured
  double spent_s = 0;                         // on measuring all of it

  void add(const std::string& name, double value, double uncertainty);
  /// The median of repeated readings, uncertain by half their range. No reading is an absence.
  void add(const std::string& name, std::vector<double> readings);
};

/// Sizes, ascending, of each of two buffers to copy between: one that a cache of `l2_bytes` holds
/// little of, at least 1 GiB, and the largest up to 4 GiB of which two take half of `free_bytes`:
/// copies of several GiB are faster by 0.1 %.
std::vector<std::size_t> copy_sizes(std::size_t free_bytes, std::size_t l2_bytes);

struct FastestWay {
  std::size_t way = 0, bytes = 0;
  double rate = 0;  // 0: no reading was above it
};

/// The fastest of so many ways to move memory, by the median of what `rates` reads of one: all of
/// them at the first size, the best three of those at the others too.
FastestWay fastest_way(
    std::size_t ways, const std::vector<std::size_t>& sizes,
    const std::function<std::vector<double>(std::size_t way, std::size_t bytes)>& rates);

/// How long it may take: about a second at a run's beginning, or up to five for its own sake.
enum class CalibrationExtent { brief, full };

}  // namespace plumbline
