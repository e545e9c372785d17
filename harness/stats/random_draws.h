/// Random choices that a seed repeats on every machine.
///
/// The C++ standard fixes the numbers of std::mt19937_64, but not those of the standard library's
/// distributions. Knows no statistic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace plumbline {

class RandomDraws {
 public:
  explicit RandomDraws(std::uint64_t seed) : bits_(seed) {}
  std::uint64_t bits() { return bits_(); }
  /// Uniform in 0 … count − 1: the remainder of 64 random bits. Draws again if they lie beyond the
  /// last whole multiple of `count`. `count` > 0.
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
