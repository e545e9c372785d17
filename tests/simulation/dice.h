/// Random numbers of a simulation: everything that happens is drawn from one seed.
#pragma once

#include <cstdint>

namespace plumbline::simulation {

/// The finalizer of splitmix64.
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// SplitMix64. The same on every machine, unlike the distributions of libraries.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(mixed(seed + 0x9e3779b97f4a7c15ULL)) {}

  std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15ULL); }
  /// From 0, below `count`.
  std::uint64_t below(std::uint64_t count) { return next() % count; }
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return least + below(most - least + 1);
  }
  bool chance(double share) { return double(next() >> 11) * 0x1p-53 < share; }
  /// Dice of their own, for a part that may draw any number of times.
  Dice apart(std::uint64_t number) const { return Dice(state_ ^ mixed(number + 1)); }

 private:
  std::uint64_t state_;
};

}  // namespace plumbline::simulation
