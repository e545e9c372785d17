/// Shared by the samplers: lengths of samples and blocks, and adding blocks to a metric.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/run/policy.h"
#include "core/run/result.h"
#include "measure/flags.h"

namespace plumbline {

/// Launches per sample, at most `most`. Launches shorter than 20 us are timed in batches that are
/// long enough to hide the timer's resolution.
int batch_for(double launch_s, int most);

/// How many samples of `sample_s` seconds a block may have, so that blocks_min blocks fit the
/// budget: a whole number, which may be 0.
double samples_that_fit(double sample_s, const Policy& policy);

/// `since_s`: start of the block in seconds after the start of the visit. `clock_hz`: 0 = unknown.
void add_block(MeasuredMetric& metric, std::span<const double> samples, double since_s,
               std::int64_t placement = 0, double clock_hz = 0);

/// The same with the other readings of these launches: a BlockReading or a StreamReading.
template <class Reading>
void add_block(MeasuredMetric& metric, std::span<const double> samples, double since_s,
               std::int64_t placement, const Reading& reading) {
  add_block(metric, samples, since_s, placement, reading.clock_hz);
  if (reading.hold_expired) metric.add_flag(kFlagHoldExpired);
  if (reading.has_allocated) metric.add_flag(kFlagAllocation);
}

/// Why a reading has no samples; "" if it has some.
template <class Samples>
std::string failure_of(const Samples& samples, const std::string& failure) {
  return samples.empty() && failure.empty() ? "the timer gave no sample" : failure;
}

}  // namespace plumbline
