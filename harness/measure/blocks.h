/// What samplers do alike: how long samples and blocks are, and how blocks become part of a metric.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/run/policy.h"
#include "core/run/result.h"
#include "measure/flags.h"

namespace plumbline {

/// Launches per sample, `most` at the most: those that take less than 20 us are timed in batches,
/// long enough that the timer's grid does not show.
int batch_for(double launch_s, int most);

/// Samples of so many seconds in one block, so that blocks_min blocks fit the budget: a whole
/// number, which may be 0.
double samples_that_fit(double sample_s, const Policy& policy);

/// `since_s`: when the block began, seconds since the visit did. `clock_hz`: 0 = unknown.
void add_block(MeasuredMetric& metric, std::span<const double> samples, double since_s,
               std::int64_t placement = 0, double clock_hz = 0);

/// The same with what else was read of these launches: a BlockReading or a StreamReading.
template <class Reading>
void add_block(MeasuredMetric& metric, std::span<const double> samples, double since_s,
               std::int64_t placement, const Reading& reading) {
  add_block(metric, samples, since_s, placement, reading.clock_hz);
  if (reading.hold_expired) metric.add_flag(kFlagHoldExpired);
  if (reading.has_allocated) metric.add_flag(kFlagAllocation);
}

/// Why a reading has no samples to go on with; "" = it has.
template <class Samples>
std::string failure_of(const Samples& samples, const std::string& failure) {
  return samples.empty() && failure.empty() ? "the timer gave no sample" : failure;
}

}  // namespace plumbline
