/// Is a result what the float64 reference says it is?
#pragma once

#include <string>

#include "backends/implementation.h"
#include "core/run.h"

namespace plumbline {

/// Outcome of comparing results with their expectation. `mistake` is "" when all is well;
/// `doubt` says what could not be told (UNVERIFIED).
struct Check {
  std::string mistake, doubt;
  // Over all floating results; the largest.
  double error_rel_l2 = 0, error_max_abs = 0, error_max_ulp = 0;
};

/// A result passes when its relative L2 error is within `tolerance`, every element is within
/// 4 × tolerance × (|expected| + rms of expected), and infinities and NaNs are where the
/// reference has them. The second condition finds a single wrong element among millions. Both
/// allow for the spacing of the type's subnormal numbers.
/// error_max_ulp is the largest |found - expected| / ulp(expected), where ulp(x) is the spacing of
/// the result's type in the binade of x (Goldberg 1991), never less than that of its subnormals.
/// Integer and boolean results have to be equal, but for indices that ties may explain.
Check check_results(const Tensors& results, const Tensors& expected, double tolerance);

}  // namespace plumbline
