/// The assumed difference between whole runs where no earlier run shows it, and its source.
///
/// Standard deviations of the logarithm of a run's estimate, beyond the noise of its visits.
/// Degrees of freedom say how heavy their tails are. A new measurement is a new row.
#pragma once

#include <span>
#include <string_view>

#include "analysis/variance/other_device.h"

namespace plumbline {

struct NoisePrior {
  std::string_view device_kind;  // cuda, cpu
  Sameness between;              // of two runs
  double run_sd, run_df;
  std::string_view source;
};

std::span<const NoisePrior> noise_priors();

/// A device kind that is not in the table counts as a CPU, the more cautious one.
const NoisePrior& noise_prior(std::string_view device_kind, Sameness between);

}  // namespace plumbline
