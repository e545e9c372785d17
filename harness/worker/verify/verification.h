/// Is a result what the float64 reference says it is?
#pragma once

#include <functional>
#include <string>

#include "backends/implementation.h"
#include "core/op/op_spec.h"
#include "core/unknown.h"

namespace plumbline {

/// A mistake up to so many times what is allowed may be rounding's; further inputs tell.
inline constexpr double kMarginal = 2;

/// Outcome of comparing results with their expectation. `mistake` is "" when all is well;
/// `doubt` says what could not be told (UNVERIFIED).
struct Check {
  std::string mistake, doubt;
  /// The error divided by what is allowed; infinite where the mistake cannot be rounding.
  double excess = 0;
  // Over all floating results; the largest.
  double error_rel_l2 = 0, error_max_abs = 0, error_max_ulp = 0;
  /// What error_rel_l2 was allowed to be, with the allowances that it needed; unknown where no
  /// result is floating.
  double allowed_rel_l2 = kUnknown;
  /// Right only because the type's smallest numbers are coarse (check_results()).
  bool needs_subnormals = false;
};

/// What results may be off by.
struct Allowance {
  std::function<Bounds(at::ScalarType result)> bounds;
  /// Beyond the bounds, by element, flat (worker/verify/conditioning.h); {}, or null for a result:
  /// nothing.
  Tensors slack{};
  /// A result may have a type of fewer bytes than the reference's, or integers for its numbers.
  bool may_be_narrower = true;
};

/// A result passes when its relative L2 error is within bounds.rel_l2, every element is within
/// bounds.element × (|expected| + rms of expected), and infinities and NaNs are where the
/// reference has them. The second condition finds a single wrong element among millions. Both
/// allow for the spacing of the type's subnormal numbers and for the slack.
/// error_max_ulp is the largest |found - expected| / ulp(expected), where ulp(x) is the spacing of
/// the result's type in the binade of x (Goldberg 1991), never less than that of its subnormals.
/// Integer and boolean results have to be equal, except for indices that follow the values that
/// they name: those may be others where they name equal elements of one of `inputs`, each once.
/// That they are the ones that the operator promises is left in doubt.
Check check_results(const Tensors& results, const Tensors& expected, const Allowance& allowed,
                    const Tensors& inputs = {});

}  // namespace plumbline
