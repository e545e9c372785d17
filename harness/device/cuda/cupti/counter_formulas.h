/// How the metrics of the measurement `counters` (core/run/metric.h) follow from NVIDIA's counters.
///
/// Pure: a table and arithmetic. range_profiler.h counts. `tests/unit/device/counters_test.cpp`
/// holds the names against CUPTI's lists of several chips.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/counters.h"

namespace plumbline::cuda {

/// metric = scale × counter / over. With several kernels in a launch, both are sums over them.
struct CounterFormula {
  std::string_view metric;
  std::string_view counter;
  std::string_view over = "";  // "": 1
  double scale = 1;
  std::string_view nothing = "";  // why there is no value where `over` is 0
};
std::span<const CounterFormula> counter_formulas();

/// Every counter that a formula names, once.
std::vector<std::string_view> needed_counters();

/// The metrics' values; a metric whose counters `chip` lacks, or which has nothing to count, is
/// absent with the reason.
CounterReading counted(const std::map<std::string, double>& counters, const std::string& chip);

}  // namespace plumbline::cuda
