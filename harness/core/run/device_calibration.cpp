#include "core/run/device_calibration.h"

#include <algorithm>

namespace plumbline {

const std::map<std::string, double>& calibration_of(const RunInfo& run, std::string_view device) {
  for (const MergedShard& shard : run.shards)
    if (!shard.calibration.empty() &&
        std::ranges::find(shard.device_uuids, device) != shard.device_uuids.end())
      return shard.calibration;
  return run.calibration;
}

}  // namespace plumbline
