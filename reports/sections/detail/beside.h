/// Information about a case besides its judged metrics: metrics that are only shown, and the
/// kernels of one launch on both sides. All as texts: the page only displays them.
#pragma once

#include <string>
#include <vector>

#include "reports/model.h"

namespace plumbline {

struct ShownLine {
  std::string metric, before, after, unit, change;  // `+3.9 %`, "" where unknown
};
std::vector<ShownLine> shown_lines(const std::vector<ShownMetric>& metrics);

/// One kernel; values that differ between the sides read `before → after`. A value that a side did
/// not record is "–" and makes no difference. `registers`: with the bytes of local memory, if a
/// thread has some. `code`: the first digits of its machine code's hash, or "".
struct KernelLine {
  std::string mark;  // `≠ changed`, `+ new`, `− gone`; "" = equal, or only one side
  std::string name, grid, block, registers, shared, occupancy, calls, time, code;
};

/// Kernels of the same name are matched in their order. Those that only the baseline has come last.
/// A side without kernels (not traced) is not compared.
std::vector<KernelLine> kernel_lines(std::string_view baseline, std::string_view candidate);

}  // namespace plumbline
