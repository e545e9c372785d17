#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <string>

#include "device/cuda/kernels.h"
#include "device/normal_quantiles.h"
#include "device/random.h"

namespace plumbline::cuda {
namespace {

constexpr int kThreads = 256;

template <class T>
__device__ T element_from(double value) {
  return static_cast<T>(value);
}
template <>
__device__ __half element_from<__half>(double value) {
  return __double2half(value);
}
template <>
__device__ __nv_bfloat16 element_from<__nv_bfloat16>(double value) {
  return __double2bfloat16(value);
}

template <class T>
__global__ void fill_kernel(T* data, std::int64_t elements, std::uint64_t seed, int kind,
                            double low, double high) {
  const std::int64_t stride = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += stride)
    data[i] = element_from<T>(random_element(kind, low, high, seed, std::uint64_t(i)));
}

__device__ float normal_quantiles_here[kNormalCells + 1];

template <class T>
struct alignas(sizeof(T) * elements_per_word(sizeof(T))) Word {
  T elements[elements_per_word(sizeof(T))];
};

/// For floating-point types of up to 4 bytes, uniform or normal.
template <class T>
__global__ void fill_floats_kernel(T* data, std::int64_t elements, std::uint64_t seed, int kind,
                                   float low, float high) {
  constexpr int kPerWord = elements_per_word(sizeof(T));
  __shared__ float quantiles[kNormalCells + 1];
  if (kind == 1) {
    for (int i = threadIdx.x; i <= kNormalCells; i += blockDim.x)
      quantiles[i] = normal_quantiles_here[i];
    __syncthreads();
  }
  const std::int64_t words = (elements + kPerWord - 1) / kPerWord;
  const std::int64_t stride = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < words;
       i += stride) {
    const std::uint64_t bits = random_bits(seed, std::uint64_t(i));
    Word<T> word;
    for (int k = 0; k < kPerWord; ++k)
      word.elements[k] =
          static_cast<T>(random_float(kind, low, high, bits_within(bits, k, kPerWord), quantiles));
    if ((i + 1) * kPerWord <= elements)
      reinterpret_cast<Word<T>*>(data)[i] = word;
    else
      for (int k = 0; i * kPerWord + k < elements; ++k) data[i * kPerWord + k] = word.elements[k];
  }
}

template <class T>
void fill_as(const Buffer& buffer, std::uint64_t seed, const Distribution& distribution,
             cudaStream_t stream) {
  const std::int64_t blocks =
      std::clamp<std::int64_t>((buffer.elements + kThreads - 1) / kThreads, 1, 4096);
  fill_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
      static_cast<T*>(buffer.data), buffer.elements, seed, int(distribution.kind), distribution.low,
      distribution.high);
  check(cudaGetLastError(), "launch of the fill kernel");
}

template <class T>
void fill_floats(const Buffer& buffer, std::uint64_t seed, const Distribution& distribution,
                 cudaStream_t stream) {
  const bool is_drawn = distribution.kind == Distribution::Kind::uniform ||
                        distribution.kind == Distribution::Kind::normal;
  if (!is_drawn) return fill_as<T>(buffer, seed, distribution, stream);
  constexpr int kPerThread = elements_per_word(sizeof(T)) * kThreads;
  const std::int64_t blocks =
      std::clamp<std::int64_t>((buffer.elements + kPerThread - 1) / kPerThread, 1, 2112);
  fill_floats_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
      static_cast<T*>(buffer.data), buffer.elements, seed, int(distribution.kind),
      float(distribution.low), float(distribution.high));
  check(cudaGetLastError(), "launch of the fill kernel");
}

__global__ void evict_kernel(const uint4* data, std::size_t count, unsigned* sink) {
  unsigned seen = 0;
  const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 v = __ldg(data + i);
    seen |= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (seen == 0xdeadbeefu) *sink = seen;  // never true for the buffer's bytes; keeps the reads
}

__device__ std::uint64_t now_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void hold_kernel(HoldState* state, std::uint64_t watchdog_ns) {
  const std::uint64_t begin = now_ns();
  while (state->released == 0)
    if (now_ns() - begin > watchdog_ns) {
      state->expired = 1;
      __threadfence_system();
      return;
    }
}

__global__ void clock_kernel(ClockReading* reading) {
  std::uint32_t multiprocessor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  reading->nanoseconds = now_ns();
  reading->cycles = clock64();
  reading->multiprocessor = multiprocessor;
}

__global__ void empty_kernel() {}

__global__ void write_kernel(uint4* data, std::size_t count) {
  const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const unsigned value = unsigned(i) | 1u;
    data[i] = make_uint4(value, value * 3, value * 5, value * 7);
  }
}

__global__ void spin_kernel(std::int64_t cycles) {
  const std::int64_t begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void rest_kernel(std::uint64_t ns) {
  const std::uint64_t begin = now_ns();
  while (now_ns() - begin < ns) __nanosleep(1000);
}

__global__ void guard_kernel(GuardSpan before, GuardSpan behind, unsigned char pattern) {
  const GuardSpan band = blockIdx.x == 0 ? before : behind;
  for (std::uint64_t i = threadIdx.x; i < band.bytes; i += blockDim.x) band.begin[i] = pattern;
}

/// Pieces of memory for one launch; each row of its grid works on one piece.
struct SpanBatch {
  static constexpr int kMost = 64;
  MemorySpan spans[kMost];
  std::uint64_t first;  // number of this batch's first piece among all pieces
};

__global__ void poison_kernel(SpanBatch batch) {
  const MemorySpan span = batch.spans[blockIdx.y];
  const std::uint64_t count = span.bytes / sizeof(uint4);
  const std::uint64_t first = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::uint64_t stride = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = first; i < count; i += stride)
    static_cast<uint4*>(span.data)[i] = make_uint4(~0u, ~0u, ~0u, ~0u);
  for (std::uint64_t i = count * sizeof(uint4) + first; i < span.bytes; i += stride)
    static_cast<unsigned char*>(span.data)[i] = 0xff;
}

/// Reads words of 8 bytes; the last word is padded with zeros.
__global__ void digest_kernel(SpanBatch batch, DigestSums* sums) {
  const MemorySpan span = batch.spans[blockIdx.y];
  const std::uint64_t count = span.bytes / sizeof(ulonglong2);
  unsigned long long bits = 0;
  unsigned poisoned = 0;
  const auto add = [&](std::uint64_t word, std::uint64_t index) {
    bits += digested(word, index, batch.first + blockIdx.y);
    poisoned += unsigned(unsigned(word) == ~0u) + unsigned(unsigned(word >> 32) == ~0u);
  };
  const std::uint64_t stride = std::uint64_t(gridDim.x) * blockDim.x;
  const std::uint64_t first = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::uint64_t i = first; i < count; i += stride) {
    const ulonglong2 words = static_cast<const ulonglong2*>(span.data)[i];
    add(words.x, 2 * i);
    add(words.y, 2 * i + 1);
  }
  const auto* const bytes = static_cast<const unsigned char*>(span.data);
  if (first == 0)
    for (std::uint64_t at = count * sizeof(ulonglong2); at < span.bytes; at += 8) {
      std::uint64_t word = 0;
      for (std::uint64_t i = 0; i < 8 && at + i < span.bytes; ++i)
        word |= std::uint64_t(bytes[at + i]) << (8 * i);
      add(word, at / 8);
    }
  for (int lane = 16; lane > 0; lane /= 2) {
    bits += __shfl_down_sync(~0u, bits, lane);
    poisoned += __shfl_down_sync(~0u, poisoned, lane);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&sums->bits, bits);
    if (poisoned > 0) atomicAdd(&sums->poisoned, static_cast<unsigned long long>(poisoned));
  }
}

/// Calls `launch` with batches of pieces and a grid for each: as many threads as the largest piece
/// has words.
template <class Launch>
void for_each_batch(const MemorySpan* spans, std::size_t count, Launch launch) {
  constexpr std::uint64_t kBlocksMax = 1056;
  for (std::size_t first = 0; first < count; first += SpanBatch::kMost) {
    SpanBatch batch{};
    batch.first = first;
    const std::size_t rows = std::min<std::size_t>(SpanBatch::kMost, count - first);
    std::uint64_t words = 1;
    for (std::size_t i = 0; i < rows; ++i) {
      batch.spans[i] = spans[first + i];
      words = std::max(words, spans[first + i].bytes / sizeof(uint4));
    }
    const std::uint64_t blocks = std::clamp<std::uint64_t>(
        (words + kThreads - 1) / kThreads, 1, std::max<std::uint64_t>(1, kBlocksMax / rows));
    launch(dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(rows)), batch);
    check(cudaGetLastError(), "launch of a kernel over pieces of memory");
  }
}

__global__ void guard_check_kernel(GuardQuery* query, unsigned char pattern) {
  const GuardSpan band = query->bands[blockIdx.x];
  for (std::uint64_t i = threadIdx.x; i < band.bytes; i += blockDim.x)
    if (band.begin[i] != pattern) query->touched = int(blockIdx.x);
}

}  // namespace

__global__ void mark_kernel() {}  // outside the unnamed namespace, because its name is compared

void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  // CUDA makes most kernel errors sticky and has no query for it. Only a failed allocation is known
  // to leave the context usable.
  throw DeviceError(
      std::string(call) + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")",
      code == cudaErrorMemoryAllocation ? DeviceError::Kind::out_of_memory
                                        : DeviceError::Kind::sticky);
}

void upload_normal_quantiles() {
  check(cudaMemcpyToSymbol(normal_quantiles_here, normal_quantiles().data(),
                           normal_quantiles().size() * sizeof(float)),
        "cudaMemcpyToSymbol of quantiles");
}

void launch_fill(const Buffer& buffer, std::uint64_t seed, const Distribution& distribution,
                 cudaStream_t stream) {
  if (buffer.elements == 0) return;
  switch (buffer.dtype) {
    case DType::float64:
      return fill_as<double>(buffer, seed, distribution, stream);
    case DType::float32:
      return fill_floats<float>(buffer, seed, distribution, stream);
    case DType::float16:
      return fill_floats<__half>(buffer, seed, distribution, stream);
    case DType::bfloat16:
      return fill_floats<__nv_bfloat16>(buffer, seed, distribution, stream);
    case DType::int64:
      return fill_as<std::int64_t>(buffer, seed, distribution, stream);
    case DType::int32:
      return fill_as<std::int32_t>(buffer, seed, distribution, stream);
    case DType::int16:
      return fill_as<std::int16_t>(buffer, seed, distribution, stream);
    case DType::int8:
      return fill_as<std::int8_t>(buffer, seed, distribution, stream);
    case DType::uint8:
      return fill_as<std::uint8_t>(buffer, seed, distribution, stream);
    case DType::boolean:
      return fill_as<bool>(buffer, seed, distribution, stream);
    case DType::float8_e4m3fn:
      return fill_floats<__nv_fp8_e4m3>(buffer, seed, distribution, stream);
    case DType::float8_e5m2:
      return fill_floats<__nv_fp8_e5m2>(buffer, seed, distribution, stream);
  }
}

void launch_poison(const MemorySpan* spans, std::size_t count, cudaStream_t stream) {
  for_each_batch(spans, count, [&](dim3 grid, const SpanBatch& batch) {
    poison_kernel<<<grid, kThreads, 0, stream>>>(batch);
  });
}

void launch_digest(const MemorySpan* spans, std::size_t count, DigestSums* sums,
                   cudaStream_t stream) {
  for_each_batch(spans, count, [&](dim3 grid, const SpanBatch& batch) {
    digest_kernel<<<grid, kThreads, 0, stream>>>(batch, sums);
  });
}

void launch_evict(const void* data, std::size_t bytes, void* sink, cudaStream_t stream) {
  evict_kernel<<<2048, kThreads, 0, stream>>>(static_cast<const uint4*>(data),
                                              bytes / sizeof(uint4), static_cast<unsigned*>(sink));
  check(cudaGetLastError(), "launch of the eviction kernel");
}

void launch_write(void* data, std::size_t bytes, cudaStream_t stream) {
  write_kernel<<<2048, kThreads, 0, stream>>>(static_cast<uint4*>(data), bytes / sizeof(uint4));
  check(cudaGetLastError(), "launch of the writing kernel");
}

void launch_spin(std::int64_t cycles, cudaStream_t stream) {
  spin_kernel<<<1, 32, 0, stream>>>(cycles);
  check(cudaGetLastError(), "launch of the spinning kernel");
}

void launch_rest(std::uint64_t ns, cudaStream_t stream) {
  rest_kernel<<<1, 1, 0, stream>>>(ns);
  check(cudaGetLastError(), "launch of the resting kernel");
}

void launch_mark(cudaStream_t stream) {
  mark_kernel<<<1, 1, 0, stream>>>();
  check(cudaGetLastError(), "launch of the marking kernel");
}

void launch_guard(GuardSpan before, GuardSpan behind, int pattern, cudaStream_t stream) {
  guard_kernel<<<2, 128, 0, stream>>>(before, behind, static_cast<unsigned char>(pattern));
  check(cudaGetLastError(), "launch of the guard kernel");
}

void launch_guard_check(GuardQuery* query, int count, int pattern, cudaStream_t stream) {
  guard_check_kernel<<<static_cast<unsigned>(count), 128, 0, stream>>>(
      query, static_cast<unsigned char>(pattern));
  check(cudaGetLastError(), "launch of the guard check kernel");
}

void launch_hold(HoldState* state, std::uint64_t watchdog_ns, cudaStream_t stream) {
  hold_kernel<<<1, 1, 0, stream>>>(state, watchdog_ns);
  check(cudaGetLastError(), "launch of the holding kernel");
}

void launch_clock_reading(ClockReading* reading, cudaStream_t stream) {
  clock_kernel<<<1, 1, 0, stream>>>(reading);
  check(cudaGetLastError(), "launch of the clock kernel");
}

void launch_nothing(cudaStream_t stream) {
  empty_kernel<<<1, 32, 0, stream>>>();
  check(cudaGetLastError(), "launch of the empty kernel");
}

}  // namespace plumbline::cuda
