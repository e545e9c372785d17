/// What is told of a case beside its judged metrics: metrics that are only shown, and the kernels
/// of one launch on both sides. As texts: the page only sets them.
#pragma once

#include <string>
#include <vector>

#include "reports/model.h"

namespace plumbline {

struct ShownLine {
  std::string metric, before, after, unit, change;  // `+3.9 %`, "" where unknown
};
std::vector<ShownLine> shown_lines(const std::vector<ShownMetric>& metrics);

/// One kernel; what differs between the sides reads `before → after`.
struct KernelLine {
  std::string mark;  // "" the same, `≠ changed`, `+ new`, `− gone`; "" for one side alone
  std::string name, grid, block, registers, shared, occupancy, calls, time;
};

/// Kernels of the same name are the same, in their order. Those that only the baseline has stand
/// last. A side without kernels (not traced) is left out of the comparison.
std::vector<KernelLine> kernel_lines(std::string_view baseline, std::string_view candidate);

}  // namespace plumbline
