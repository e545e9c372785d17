/// The random number of a run or of its pairs, from which the contents of timed launches follow
/// (MeasureRequest::draw): nothing that was kept from an earlier run is their result.
#pragma once

#include <unistd.h>

#include <cstdint>

#include "core/error.h"

namespace plumbline {

inline std::uint64_t fresh_draw() {
  std::uint64_t number = 0;  // not from std::random_device, which asks for a glibc of 2.36
  if (getentropy(&number, sizeof number) != 0) throw Error("the system gives no random number");
  return number;
}

}  // namespace plumbline
