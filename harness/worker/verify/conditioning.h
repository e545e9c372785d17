/// How far rounding may carry a result, whoever computes it: a difference that cancels, or a sum
/// that happens to be small, loses digits that no implementation can keep.
///
/// Found by Monte Carlo arithmetic (Parker, Pierce & Eggert 2000): the float64 reference is
/// computed again, every input and every operator's result in it being off by a small random share
/// of itself. Where that changes nothing beyond the ordinary, results have to be as exact as
/// anywhere. Knows no case and no tolerance's making.
#pragma once

#include <cstdint>
#include <functional>

#include "backends/implementation.h"

namespace plumbline {

/// What `reference` returns while each floating-point tensor that an operator of LibTorch makes,
/// and each that exact() gives, is multiplied by 1 + r, r being uniform in [-share, share]; the
/// same for the same seed. Gradients are of the disturbed values and disturbed themselves.
Tensors disturbed(double share, std::uint64_t seed, const std::function<Tensors()>& reference);

/// By how much results may be further off than bounds allow, element by element: 64 times what
/// `other` differs from `expected` beyond the ordinary, share × (|expected| + rms of expected); 16
/// times what is beyond eight times that where a share is as large as types of 16 bits have it,
/// or, for all elements alike, 0.8 times what the root mean square of the differences, twice
/// ordinary at most, is beyond three shares of the expected elements'. Raises `slack` to it; {} at
/// first. Integers have none.
void widen(const Tensors& expected, const Tensors& other, double share, Tensors& slack);

}  // namespace plumbline
