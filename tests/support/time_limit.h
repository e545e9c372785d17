/// Time limits in unit tests.
#pragma once

namespace plumbline {

/// A limit in seconds, with room for the cost of sanitizers.
constexpr double time_limit_s(double seconds) {
#ifdef __SANITIZE_ADDRESS__
  return 20 * seconds;
#else
  return seconds;
#endif
}

}  // namespace plumbline
