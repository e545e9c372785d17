/// What a device reaches, measured: rates and times by name, each with how far off it may be.
#pragma once

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

/// How long it may take: about a second at a run's beginning, or up to five for its own sake.
enum class CalibrationExtent { brief, full };

}  // namespace plumbline
