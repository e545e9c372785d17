/// Input data as a function of seed and index alone: the same on every device, for any number of
/// threads. Compiled by both the C++ and the CUDA compiler.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define PLUMBLINE_HOST_DEVICE __host__ __device__
#else
#include <cmath>
#define PLUMBLINE_HOST_DEVICE
#endif

namespace plumbline {

/// SplitMix64 (Steele, Lea & Flood 2014): the finaliser of a counter-based generator.
PLUMBLINE_HOST_DEVICE inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// Uniform in [0, 1) with 53 random bits.
PLUMBLINE_HOST_DEVICE inline double random_unit(std::uint64_t bits) {
  return double(bits >> 11) * (1.0 / 9007199254740992.0);
}

/// Standard normal by the Box–Muller transform (1958), one value per index.
PLUMBLINE_HOST_DEVICE inline double random_normal(std::uint64_t seed, std::uint64_t index) {
  const double u = random_unit(random_bits(seed, 2 * index)) + 1.1102230246251565e-16;
  const double v = random_unit(random_bits(seed, 2 * index + 1));
  return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

/// One element of a distribution; `kind` as Distribution::Kind.
PLUMBLINE_HOST_DEVICE inline double random_element(int kind, double low, double high,
                                                   std::uint64_t seed, std::uint64_t index) {
  if (kind == 0) return low + (high - low) * random_unit(random_bits(seed, index));
  if (kind == 1) return low + high * random_normal(seed, index);
  if (kind == 2) return floor(low + (high - low) * random_unit(random_bits(seed, index)));
  return low;
}

}  // namespace plumbline
