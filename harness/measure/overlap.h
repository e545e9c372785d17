/// How much of the work on several streams ran at the same time, from when each piece of it ran.
#pragma once

#include <vector>

#include "device/streams.h"

namespace plumbline {

/// Seconds. Work of one stream that overlaps itself counts once: a kernel may begin before the one
/// in front of it has ended.
struct BusyTimes {
  double sum_s = 0;    // busy time of each stream, added up
  double union_s = 0;  // during which any stream was busy
  double span_s = 0;   // from the first start to the last end
  /// sum / union: 1 = one after the other, N = N streams busy all the time; NaN without any work.
  double factor() const { return sum_s / union_s; }
};

BusyTimes overlap_of(std::vector<StreamActivity> activities);

}  // namespace plumbline
