/// What whole runs are taken to differ by where no earlier run says it, and where that is known
/// from.
///
/// Standard deviations of the logarithm of a run's estimate, beyond what its visits show; degrees
/// of freedom say how heavy their tails are. A table, so that a new measurement is a new row.
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

/// A device kind that is not in the table is taken for a CPU, the more cautious.
const NoisePrior& noise_prior(std::string_view device_kind, Sameness between);

}  // namespace plumbline
