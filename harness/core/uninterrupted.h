/// System calls that a signal interrupts.
///
/// Not for close(): Linux closes the descriptor all the same.
#pragma once

#include <cerrno>

namespace plumbline {

/// Makes the call, again as long as a signal interrupts it (EINTR). It returns -1 when it fails.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

}  // namespace plumbline
