/// How much work on several streams ran at the same time, from the start and end of each piece.
#pragma once

#include <vector>

#include "device/streams.h"

namespace plumbline {

/// Seconds. Overlapping work of the same stream counts once: a kernel may begin before the previous
/// one has ended.
struct BusyTimes {
  double sum_s = 0;    // sum of each stream's busy time
  double union_s = 0;  // time in which any stream was busy
  double span_s = 0;   // from the first start to the last end
  /// sum / union: 1 = one after the other, N = N streams busy all the time; NaN without work.
  double factor() const { return sum_s / union_s; }
};

BusyTimes overlap_of(std::vector<StreamActivity> activities);

}  // namespace plumbline
