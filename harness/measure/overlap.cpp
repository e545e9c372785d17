#include "measure/overlap.h"

#include <algorithm>
#include <map>

namespace plumbline {
namespace {

/// Nanoseconds covered by intervals that are sorted by their start.
std::uint64_t covered_ns(const std::vector<StreamActivity>& sorted) {
  std::uint64_t covered = 0;
  std::uint64_t reached = 0;
  for (const StreamActivity& a : sorted) {
    const std::uint64_t begin = std::max(a.start_ns, reached);
    if (a.end_ns <= begin) continue;
    covered += a.end_ns - begin;
    reached = a.end_ns;
  }
  return covered;
}

}  // namespace

BusyTimes overlap_of(std::vector<StreamActivity> activities) {
  BusyTimes times;
  if (activities.empty()) return times;
  std::ranges::sort(activities, {}, &StreamActivity::start_ns);
  std::map<std::uint32_t, std::vector<StreamActivity>> streams;
  std::uint64_t end_ns = 0;
  for (const StreamActivity& activity : activities) {
    streams[activity.stream].push_back(activity);
    end_ns = std::max(end_ns, activity.end_ns);
  }
  for (const auto& [stream, own] : streams) times.sum_s += double(covered_ns(own)) * 1e-9;
  times.union_s = double(covered_ns(activities)) * 1e-9;
  times.span_s = double(end_ns - activities.front().start_ns) * 1e-9;
  return times;
}

}  // namespace plumbline
