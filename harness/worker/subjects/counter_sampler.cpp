#include "worker/subjects/counter_sampler.h"

#include <algorithm>

#include "measure/blocks.h"
#include "measure/flags.h"

namespace plumbline {
namespace {

constexpr int kPlacements = 3;
/// No further placement once the visit has taken this long.
constexpr double kPatience_s = 2;
/// The first loads code, the second may still allocate what later launches keep.
constexpr int kWarmupLaunches = 2;
constexpr const char* kMeasurement = "counters";

MeasuredMetric& metric_of(VisitSamples& samples, const std::string& name) {
  const auto found = std::ranges::find(samples.measurements, name, &MeasuredMetric::metric);
  if (found != samples.measurements.end()) return *found;
  MeasuredMetric& made = samples.measurements.emplace_back();
  made.metric = name;
  return made;
}

}  // namespace

VisitSamples sample_counters(Device& device, Counters& counters, const PlaceSubject& place,
                             const Scrutiny& scrutiny) {
  VisitSamples samples;
  const double begin_s = device.now_s();
  for (int placement = 0; placement < kPlacements; ++placement) {
    const double since_s = device.now_s() - begin_s;
    if (placement > 0 && since_s > kPatience_s) break;
    const std::uint64_t contents = contents_of(ContentsOf::placement, std::uint64_t(placement));
    const Launch launch = place(placement, contents);
    for (int i = 0; i < kWarmupLaunches; ++i) {
      device.begin_launch();
      launch();
      device.synchronize();
    }
    if (placement == 0) samples.loading_s = device.now_s() - begin_s;
    try {
      const CounterReading reading = counters.count(
          launch, [&] { scrutiny.renew(contents); }, [&] { scrutiny.look(); });
      for (const auto& [name, value] : reading.values) {
        MeasuredMetric& metric = metric_of(samples, name);
        add_block(metric, {&value, 1}, since_s, placement);
        metric.block_causes.emplace_back();
      }
      samples.absent = reading.absent;
    } catch (const DeviceError& failure) {
      if (failure.kind != DeviceError::Kind::recoverable) throw;
      samples.measurements.clear();
      samples.absent = {{kMeasurement, failure.what()}};
      break;
    }
    if (!device.overrun().empty())
      for (MeasuredMetric& metric : samples.measurements) metric.add_flag(kFlagGuardTouched);
  }
  samples.launching_s = device.now_s() - begin_s;
  return samples;
}

}  // namespace plumbline
