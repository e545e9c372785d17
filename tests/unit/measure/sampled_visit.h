/// A visit on a scripted device, for tests of the sampler.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/sampler.h"
#include "support/scripted_device.h"

namespace plumbline {

/// Policy::warmup_s / ScriptedDevice::tick_s, one block for each metric.
inline constexpr int kWarmupBlocks = 10;

struct SampledVisit {
  ScriptedDevice device;
  Policy policy = policy_of_tests();
  std::vector<std::int64_t> placed;
  std::vector<std::uint64_t> block_contents;
  Scrutiny scrutiny;
  int launches = 0;
  HostTimed host_timed = HostTimed::if_not_held;

  std::vector<MeasuredMetric> run() { return visit().measurements; }
  VisitSamples visit() {
    return sample_visit(
        device,
        [this](std::int64_t placement, std::uint64_t contents) {
          placed.push_back(placement);
          block_contents.push_back(contents);
          return Launch([this] { ++launches; });
        },
        policy, scrutiny, host_timed);
  }
};

}  // namespace plumbline
