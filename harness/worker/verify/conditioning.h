/// How much rounding may change a result, in any implementation: a difference that cancels, or a
/// sum that happens to be small, loses digits that no implementation can keep.
///
/// Method: Monte Carlo arithmetic (Parker, Pierce & Eggert 2000). The float64 reference is computed
/// again, with every input and every operator's result changed by a small random share of itself.
/// If results change only by the ordinary amount, the usual bounds apply. Knows no case and not how
/// tolerances are made.
#pragma once

#include <cstdint>
#include <functional>

#include "backends/implementation.h"

namespace plumbline {

/// Runs `reference` with disturbed values: each floating-point tensor that an operator of LibTorch
/// makes, or that exact() returns, is multiplied by 1 + r. r is uniform in [-share, share] and the
/// same for the same seed. Gradients are those of the disturbed values and are disturbed
/// themselves.
Tensors disturbed(double share, std::uint64_t seed, const std::function<Tensors()>& reference);

/// Raises `slack` to how much results may exceed the bounds, by element; {} at first. A difference
/// of `other` from `expected` is ordinary up to share × (|expected| + rms of expected). Slack is 64
/// times the excess over that. For shares as large as those of 16-bit types it is the larger of two
/// values. One is 16 times the excess over eight times the ordinary. The other is the same for all
/// elements: 0.8 times the excess of the differences' root mean square over three shares of
/// expected's; each difference counts as at most 16 times the ordinary. Integers have no slack.
void widen(const Tensors& expected, const Tensors& other, double share, Tensors& slack);

}  // namespace plumbline
