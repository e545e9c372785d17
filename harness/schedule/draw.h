/// The random number of a run or of its pairs, which decides the contents of timed launches
/// (MeasureRequest::draw). So results kept from an earlier run cannot be reused.
#pragma once

#include <unistd.h>

#include <cstdint>

#include "core/error.h"

namespace plumbline {

inline std::uint64_t fresh_draw() {
  std::uint64_t number = 0;  // std::random_device would need glibc 2.36
  if (getentropy(&number, sizeof number) != 0) throw Error("the system gives no random number");
  return number;
}

}  // namespace plumbline
