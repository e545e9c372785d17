/// Measured limits of a device: rates and times by name, each with its uncertainty.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace plumbline {

/// Values in SI units: copy_bytes_per_s, matmul_float16_flops_per_s, launch_s, …; each has a
/// `<name>_uncertainty` in the same unit.
struct Calibration {
  std::map<std::string, double> values;
  std::map<std::string, std::string> absent;  // name -> why it could not be measured
  double spent_s = 0;                         // on measuring all values

  void add(const std::string& name, double value, double uncertainty);
  /// Adds the median of repeated readings, with half their range as uncertainty. Without readings
  /// the value is absent.
  void add(const std::string& name, std::vector<double> readings);
};

/// Sizes, ascending, of each of the two buffers of a copy. The smaller is at least 1 GiB and so
/// large that a cache of `l2_bytes` holds little of it. The larger is at most 4 GiB, and two of
/// them take at most half of `free_bytes`: copies of several GiB are 0.1 % faster.
std::vector<std::size_t> copy_sizes(std::size_t free_bytes, std::size_t l2_bytes);

struct FastestWay {
  std::size_t way = 0, bytes = 0;
  double rate = 0;  // 0: there was no reading
};

/// The fastest of `ways` ways to move memory, by the median of the readings that `rates` returns.
/// Tries all ways at the first size and the best three at the other sizes.
FastestWay fastest_way(
    std::size_t ways, const std::vector<std::size_t>& sizes,
    const std::function<std::vector<double>(std::size_t way, std::size_t bytes)>& rates);

/// Time limit: about a second at the start of a run, up to five when calibration is run by itself.
enum class CalibrationExtent { brief, full };

}  // namespace plumbline
