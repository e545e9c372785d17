/// Random choices that are the same for a seed on every machine.
///
/// std::mt19937_64's numbers are fixed by the C++ standard, what the standard library makes of them
/// is not. Knows no statistic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace plumbline {

class RandomDraws {
 public:
  explicit RandomDraws(std::uint64_t seed) : bits_(seed) {}
  std::uint64_t bits() { return bits_(); }
  /// Uniform in 0 … count − 1: the remainder of 64 bits, drawn again where they lie beyond the last
  /// whole multiple of `count`. `count` > 0.
  std::size_t below(std::size_t count) {
    for (;;) {
      const std::uint64_t drawn = bits_(), rest = drawn % count;
      if (drawn - rest <= std::uint64_t{0} - count) return static_cast<std::size_t>(rest);
    }
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace plumbline
