#include "worker/subjects/plain_launches.h"

#include "measure/blocks.h"
#include "worker/session/nvtx.h"

namespace plumbline {
namespace {

constexpr int kWarmupLaunches = 3;

}  // namespace

VisitSamples launch_plainly(Device& device, const PlaceSubject& place, int launches) {
  const double begin_s = device.now_s();
  const Launch launch = place(0, contents_of(ContentsOf::placement, 0));
  const auto launch_once = [&] {
    const double start_s = device.now_s();
    device.begin_launch();
    launch();
    device.synchronize();
    return device.now_s() - start_s;
  };
  for (int i = 0; i < kWarmupLaunches; ++i) launch_once();
  MeasuredMetric measurement;
  measurement.metric = "wall_time";
  measurement.block_causes = {""};
  const double since_s = device.now_s() - begin_s;
  std::vector<double> samples_s;
  {
    const NvtxRange range(kLaunchesRange);
    for (int i = 0; i < launches; ++i) samples_s.push_back(launch_once());
  }
  add_block(measurement, samples_s, since_s);
  VisitSamples samples;
  samples.measurements.push_back(std::move(measurement));
  samples.launching_s = device.now_s() - begin_s;
  return samples;
}

}  // namespace plumbline
