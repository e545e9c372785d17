/// Combines two independent errors.
#pragma once

#include <cmath>

namespace plumbline {

/// Not std::hypot, which needs glibc 2.35: the wheel supports 2.34.
inline double in_quadrature(double a, double b) { return std::sqrt(a * a + b * b); }

}  // namespace plumbline
