/// Input data as a function of only seed and index: the same on every device and for any number of
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

/// The contribution of a word of a span to a digest; the order of the summed words does not matter.
PLUMBLINE_HOST_DEVICE inline std::uint64_t digested(std::uint64_t word, std::uint64_t index,
                                                    std::uint64_t span) {
  return random_bits(word, index | span << 40);
}

/// Multiplies, rounds, adds, rounds; the CUDA compiler would make one fused operation.
PLUMBLINE_HOST_DEVICE inline float times_plus(float a, float b, float c) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(__fmul_rn(a, b), c);
#else
  return a * b + c;
#endif
}

/// Number of equally probable cells of the normal distribution; inside a cell it is taken as
/// uniform (device/normal_quantiles.h).
inline constexpr int kNormalCells = 1024;

/// One element of a floating-point type of up to 4 bytes from 32 random bits, uniform (`kind` 0) or
/// normal. `quantiles` has kNormalCells + 1 elements.
PLUMBLINE_HOST_DEVICE inline float random_float(int kind, float low, float high, std::uint32_t bits,
                                                const float* quantiles) {
  if (kind == 0) return times_plus(high - low, float(bits >> 8) * 0x1p-24f, low);
  const std::uint32_t cell = bits >> 22;
  const float within = float(bits & 0x3fffffu) * 0x1p-22f;
  const float first = quantiles[cell];
  return times_plus(high, times_plus(within, quantiles[cell + 1] - first, first), low);
}

/// A word of random bits serves two elements of 4 bytes or four smaller ones.
PLUMBLINE_HOST_DEVICE constexpr int elements_per_word(int element_bytes) {
  return element_bytes == 4 ? 2 : 4;
}

/// The bits of a word for its element number `within`.
PLUMBLINE_HOST_DEVICE inline std::uint32_t bits_within(std::uint64_t word, int within,
                                                       int per_word) {
  if (per_word == 2) return std::uint32_t(word >> (32 * within));
  return std::uint32_t(word >> (16 * within)) << 16;
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

/// Kinds of input data beside those of Distribution::Kind.
inline constexpr int kSparseKind = 4, kOutlierKind = 5;

/// The share of zeros in sparse data.
inline constexpr double kShareOfZeros = 0.9;

PLUMBLINE_HOST_DEVICE inline double random_sparse(double low, double high, std::uint64_t seed,
                                                  std::uint64_t index) {
  if (random_unit(random_bits(seed, 2 * index)) < kShareOfZeros) return 0;
  return low + (high - low) * random_unit(random_bits(seed, 2 * index + 1));
}

/// Normal numbers of the standard deviation `size`, cut at kLargestNormal of these. One channel in
/// kOutlierPeriod is kOutlierFactor times as large: as in activations of transformers, where the
/// same few channels of every token are large (Dettmers et al. 2022, LLM.int8(), arXiv:2208.07339:
/// 7 channels of 4096, up to 20 times as large). `channels`: elements of the innermost dimension.
/// Fewer of them than the period have one such channel.
inline constexpr std::uint64_t kOutlierPeriod = 512;
inline constexpr double kOutlierFactor = 20;
inline constexpr double kLargestNormal = 3.66;

PLUMBLINE_HOST_DEVICE inline double random_outlier(std::uint64_t channels, double size,
                                                   std::uint64_t seed, std::uint64_t index) {
  const double drawn = random_normal(seed, index);
  const double above = drawn < -kLargestNormal ? -kLargestNormal : drawn;
  const double value = size * (above > kLargestNormal ? kLargestNormal : above);
  if (channels < 2) return value;
  const std::uint64_t period = channels < kOutlierPeriod ? channels : kOutlierPeriod;
  const bool is_large = index % channels % period == random_bits(~seed, 0) % period;
  return is_large ? kOutlierFactor * value : value;
}

/// One element of any other type or distribution; `kind` as Distribution::Kind, or one
/// of the kinds above.
PLUMBLINE_HOST_DEVICE inline double random_element(int kind, double low, double high,
                                                   std::uint64_t seed, std::uint64_t index) {
  if (kind == 0) return low + (high - low) * random_unit(random_bits(seed, index));
  if (kind == 1) return low + high * random_normal(seed, index);
  if (kind == 2) return floor(low + (high - low) * random_unit(random_bits(seed, index)));
  if (kind == kSparseKind) return random_sparse(low, high, seed, index);
  if (kind == kOutlierKind) return random_outlier(std::uint64_t(low), high, seed, index);
  return low;
}

}  // namespace plumbline
