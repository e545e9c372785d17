#include "device/cpu/cpu_device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

#include "core/run/case.h"
#include "device/cpu/narrow_floats.h"
#include "device/normal_quantiles.h"
#include "device/random.h"

namespace plumbline {
namespace {

/// Value of the first line "key : value" of a /proc file; "" if there is none.
std::string proc_value(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::size_t memory_bytes() {
  return std::size_t(sysconf(_SC_PHYS_PAGES)) * std::size_t(sysconf(_SC_PAGESIZE));
}

/// `rounded`: makes an element of the buffer from the drawn number.
template <class T>
void fill_by(T (*rounded)(double), const Buffer& buffer, std::uint64_t seed,
             const Distribution& d) {
  T* data = static_cast<T*>(buffer.data);
  for (std::int64_t i = 0; i < buffer.elements; ++i)
    data[i] =
        rounded(random_element(int(d.kind), d.low, d.high, seed, static_cast<std::uint64_t>(i)));
}

/// For floating-point types of up to 4 bytes.
template <class T>
void fill_floats(T (*rounded)(double), const Buffer& buffer, std::uint64_t seed,
                 const Distribution& d) {
  constexpr int kPerWord = elements_per_word(sizeof(T));
  const bool is_drawn =
      d.kind == Distribution::Kind::uniform || d.kind == Distribution::Kind::normal;
  if (!is_drawn) return fill_by(rounded, buffer, seed, d);
  T* data = static_cast<T*>(buffer.data);
  const float* quantiles = normal_quantiles().data();
  for (std::int64_t i = 0; i < buffer.elements; i += kPerWord) {
    const std::uint64_t word = random_bits(seed, std::uint64_t(i) / kPerWord);
    for (int within = 0; within < kPerWord && i + within < buffer.elements; ++within)
      data[i + within] = rounded(random_float(int(d.kind), float(d.low), float(d.high),
                                              bits_within(word, within, kPerWord), quantiles));
  }
}

/// For types that g++ converts itself.
template <class T>
void fill_as(const Buffer& buffer, std::uint64_t seed, const Distribution& d) {
  fill_by<T>([](double value) { return static_cast<T>(value); }, buffer, seed, d);
}

}  // namespace

CpuDevice::CpuDevice() {
  // This reserves address space, not memory: pages become real when a placement first touches them.
  const std::size_t bytes =
      memory_bytes() / 8 * 3 / Arena::kLargeAlignment * Arena::kLargeAlignment;
  void* base = mmap(nullptr, bytes + Arena::kLargeAlignment, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    throw DeviceError(std::string("mmap of the arena: ") + std::strerror(errno),
                      DeviceError::Kind::out_of_memory);
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  const auto aligned = (address + Arena::kLargeAlignment - 1) / Arena::kLargeAlignment;
  arena_.adopt(reinterpret_cast<void*>(aligned * Arena::kLargeAlignment), bytes);
  opened_s_ = now_s();
}

Environment CpuDevice::environment() const {
  Environment e;
  e.device_kind = "cpu";
  e.device_model = proc_value("/proc/cpuinfo", "model name");
  if (e.device_model.empty()) e.device_model = "unknown processor";
  e.device_units = std::thread::hardware_concurrency();
  // Also the microarchitecture: hypervisors report different models under one name.
  const std::string family = proc_value("/proc/cpuinfo", "cpu family");
  const std::string model = proc_value("/proc/cpuinfo", "model\t");
  const std::string kind = family.empty() ? "" : " (family " + family + ", model " + model + ")";
  e.device_class = e.device_model + kind + ", " + std::to_string(*e.device_units) + " CPUs";
  e.device_uuids = {"cpu-" + stable_hash_text(first_line("/etc/machine-id") + e.device_class)};
  e.device_memory_bytes = std::int64_t(memory_bytes());
  if (const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE); cache > 0) e.device_l2_bytes = cache;
  return e;
}

TimeMetrics CpuDevice::time_metrics(const Policy&, bool) const {
  return {{{"wall_time", CacheState::hot, Timer::host_clock}}, {}};
}

void CpuDevice::place(std::uint64_t key) {
  arena_.place(key);
  const std::lock_guard lock(guard_mutex_);
  if (!has_placed_ || key != placed_) guards_.clear();
  has_placed_ = true;
  placed_ = key;
}

void CpuDevice::poison(std::span<const MemorySpan> spans) {
  for (const MemorySpan& span : spans) std::memset(span.data, kPoison, span.bytes);
}

void CpuDevice::digest(std::span<const MemorySpan> spans) {
  Digest digest;
  for (std::uint64_t i = 0; i < spans.size(); ++i) {
    const auto* const begin = static_cast<const char*>(spans[i].data);
    for (std::uint64_t at = 0; at < spans[i].bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, begin + at, std::min(sizeof word, std::size_t(spans[i].bytes - at)));
      digest.bits += digested(word, at / sizeof word, i);
      digest.poisoned +=
          std::uint64_t(std::uint32_t(word) == ~0U) + std::uint64_t(word >> 32 == ~0U);
    }
  }
  digests_.push_back(digest);
}

std::string CpuDevice::overrun() {
  const std::lock_guard lock(guard_mutex_);  // new memory in a far band waits until it is checked
  for (const GuardBand& band : guards_.bands()) {
    const bool is_whole = static_cast<unsigned char>(*band.begin) == kGuardPattern &&
                          std::memcmp(band.begin, band.begin + 1, band.bytes - 1) == 0;
    if (!is_whole) return in_words(band);
  }
  return "";
}

/// Far bands cost pages of memory: only launches that are about to be checked have them.
void CpuDevice::poison_allocations(bool on) {
  is_poisoning_ = on;
  if (!on) return;
  const std::lock_guard lock(guard_mutex_);
  for (const auto& [memory, bytes] : guards_.allocations()) guard_far(memory, bytes);
}

void CpuDevice::guard_far(void* memory, std::size_t bytes) {
  for (const GuardBand& band : guards_.watch_far(memory, bytes, arena_.room_around(memory)))
    std::memset(band.begin, kGuardPattern, band.bytes);
}

void* CpuDevice::allocate(std::size_t bytes) {
  void* memory = arena_.allocate(bytes);
  if (memory == nullptr) return nullptr;
  const std::lock_guard lock(guard_mutex_);
  if (!guards_.knows(memory, bytes)) {
    if (is_timing_) has_allocated_ = true;  // the untimed launch had it elsewhere, or not at all
    if (is_timing_)
      guards_.make_way(memory, bytes);
    else
      for (const GuardBand& band : guards_.watch(memory, bytes))
        std::memset(band.begin, kGuardPattern, band.bytes);
    if (is_poisoning_ && !is_timing_) guard_far(memory, bytes);
  }
  if (is_poisoning_) std::memset(memory, kPoison, bytes);
  return memory;
}

void CpuDevice::fill(const Buffer& buffer, std::uint64_t seed, const Distribution& d) {
  switch (buffer.dtype) {
    case DType::float64:
      return fill_as<double>(buffer, seed, d);
    case DType::float32:
      return fill_floats<float>([](double x) { return static_cast<float>(x); }, buffer, seed, d);
    case DType::float16:
      return fill_floats<_Float16>([](double x) { return static_cast<_Float16>(x); }, buffer, seed,
                                   d);
    case DType::bfloat16:
      return fill_floats(bfloat16_bits, buffer, seed, d);
    case DType::int64:
      return fill_as<std::int64_t>(buffer, seed, d);
    case DType::int32:
      return fill_as<std::int32_t>(buffer, seed, d);
    case DType::int16:
      return fill_as<std::int16_t>(buffer, seed, d);
    case DType::int8:
      return fill_as<std::int8_t>(buffer, seed, d);
    case DType::uint8:
      return fill_as<std::uint8_t>(buffer, seed, d);
    case DType::boolean:
      return fill_as<bool>(buffer, seed, d);
    case DType::float8_e4m3fn:
      return fill_floats(float8_e4m3fn_bits, buffer, seed, d);
    case DType::float8_e5m2:
      return fill_floats(float8_e5m2_bits, buffer, seed, d);
  }
}

BlockReading CpuDevice::time_block(const Launch& launch, const BlockPlan& plan) {
  BlockReading reading;
  has_allocated_ = false;
  for (int i = 0; i < plan.samples; ++i) {
    if (plan.around.before) plan.around.before(i);
    is_timing_ = true;
    const double start = now_s();
    for (int k = 0; k < plan.batch; ++k) {
      begin_launch();
      launch();
    }
    const double elapsed = now_s() - start;
    is_timing_ = false;
    reading.samples_s.push_back(elapsed / plan.batch);
    reading.spent_s += elapsed;
    if (plan.around.after) plan.around.after(i);
  }
  reading.has_allocated = has_allocated_;
  return reading;
}

double CpuDevice::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

DeviceState CpuDevice::state() const {
  return {.temperature_c = std::nan(""), .power_w = std::nan(""), .throttle = {}};
}

}  // namespace plumbline
