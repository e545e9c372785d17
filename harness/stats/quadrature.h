/// The length of two errors that are independent of each other.
#pragma once

#include <cmath>

namespace plumbline {

/// Not std::hypot, which asks for a glibc of 2.35: the wheel is for 2.34.
inline double in_quadrature(double a, double b) { return std::sqrt(a * a + b * b); }

}  // namespace plumbline
