/// The random number of a run or of its pairs, from which the contents of timed launches follow
/// (MeasureRequest::draw): nothing that was kept from an earlier run is their result.
#pragma once

#include <cstdint>
#include <random>

namespace plumbline {

inline std::uint64_t fresh_draw() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) | source();
}

}  // namespace plumbline
