#include "device/calibration.h"

#include <algorithm>

namespace plumbline {

void Calibration::add(const std::string& name, double value, double uncertainty) {
  values[name] = value;
  values[name + "_uncertainty"] = uncertainty;
}

void Calibration::add(const std::string& name, std::vector<double> readings) {
  if (readings.empty()) {
    absent[name] = "it gave no reading";
    return;
  }
  std::ranges::sort(readings);
  const std::size_t half = readings.size() / 2;
  const double median =
      readings.size() % 2 == 1 ? readings[half] : (readings[half - 1] + readings[half]) / 2;
  add(name, median, (readings.back() - readings.front()) / 2);
}

}  // namespace plumbline
