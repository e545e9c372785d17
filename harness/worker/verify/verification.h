/// Compares results with the float64 reference.
#pragma once

#include <functional>
#include <string>

#include "backends/implementation.h"
#include "core/op/op_spec.h"
#include "core/unknown.h"

namespace plumbline {

/// A mistake up to this many times the allowance may come from rounding; other inputs decide.
inline constexpr double kMarginal = 2;

/// Outcome of comparing results with their expectation. `mistake`: "" if all is well. `doubt`: what
/// could not be checked (UNVERIFIED).
struct Check {
  std::string mistake, doubt;
  /// The error divided by the allowance; infinite if rounding cannot explain the mistake.
  double excess = 0;
  // The largest errors over all floating-point results.
  double error_rel_l2 = 0, error_max_abs = 0, error_max_ulp = 0;
  /// The bound of error_rel_l2, including needed slack; unknown if no result is floating-point.
  double allowed_rel_l2 = kUnknown;
  /// Right only because the type's smallest numbers are coarse (check_results()).
  bool needs_subnormals = false;
};

/// How much results may be off.
struct Allowance {
  std::function<Bounds(at::ScalarType result)> bounds;
  /// Additional allowance by element, flat (worker/verify/conditioning.h). {}, or null for a
  /// result: none.
  Tensors slack{};
  /// The share of the slack that counts for all elements together.
  double slack_together = 1;
  /// A result may have a type with fewer bytes than the reference's, or integers instead of floats.
  bool may_be_narrower = true;
};

/// "[2, 17]": the index of a tensor's element number `flat`.
std::string index_text(const at::Tensor& tensor, std::int64_t flat);

/// A result passes if its relative L2 error is within bounds.rel_l2, every element is within
/// bounds.element × (|expected| + rms of expected), and infinities and NaNs are where the reference
/// has them. The second condition finds a single wrong element among millions. Both add the spacing
/// of the type's subnormal numbers and the slack. error_max_ulp is the largest |found - expected| /
/// ulp(expected). ulp(x) is the spacing of the result's type in the binade of x (Goldberg 1991), at
/// least that of its subnormals. Integer and boolean results must be equal. Exception: indices that
/// follow the values that they name may differ if they name equal elements of one of `inputs`, each
/// once. Whether they are the ones that the operator promises remains in doubt.
Check check_results(const Tensors& results, const Tensors& expected, const Allowance& allowed,
                    const Tensors& inputs = {});

}  // namespace plumbline
