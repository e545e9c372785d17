#include "device/cuda/cuda_device.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/op/allocator_choice.h"
#include "core/value.h"
#include "device/cuda/held_stream.h"
#include "device/cuda/streams.h"

namespace plumbline::cuda {
namespace {

constexpr std::size_t kArenaReserve = std::size_t{4} << 30;  // for cuDNN, cuBLAS and code

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += digits;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// The 64 bytes of the handle as hexadecimal digits, ':' and the arena's size.
std::string shared_arena_text(const cudaIpcMemHandle_t& handle, std::size_t bytes) {
  std::string text;
  for (const char byte : handle.reserved) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text + ':' + std::to_string(bytes);
}

/// Returns the size in `text` and sets `handle`.
std::size_t parse_shared_arena(const std::string& text, cudaIpcMemHandle_t& handle) {
  constexpr std::size_t kDigits = 2 * sizeof handle.reserved;
  const bool fine = text.size() > kDigits + 1 && text[kDigits] == ':' &&
                    text.find_first_not_of("0123456789abcdef") == kDigits &&
                    text.find_first_not_of("0123456789", kDigits + 1) == std::string::npos;
  if (!fine)
    throw Error("'" + text + "' is no shared arena; expected " + std::to_string(kDigits) +
                " hexadecimal digits, ':' and the number of bytes, as another worker gives them");
  for (std::size_t i = 0; i < sizeof handle.reserved; ++i)
    handle.reserved[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return std::stoull(text.substr(kDigits + 1));
}

/// Memory of the current GPU; nullptr if there is no room.
void* from_driver(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t code = cudaMalloc(&memory, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error: running out of memory is not sticky
    return nullptr;
  }
  check(code, "cudaMalloc");
  return memory;
}

/// Work on the device's own stream that may touch the memory of other ranks: behind all their work,
/// and before what follows there.
class Ordered {
 public:
  explicit Ordered(Ranks* ranks) : ranks_(ranks) {
    if (ranks_ != nullptr) ranks_->join();
  }
  ~Ordered() noexcept(false) {
    if (ranks_ != nullptr) ranks_->fork();
  }
  Ordered(const Ordered&) = delete;
  Ordered& operator=(const Ordered&) = delete;

 private:
  Ranks* ranks_;
};

/// What is between a GPU and each other one: "peer access to cuda:1 (one PCIe switch)".
std::vector<std::string> ways_from(int ordinal, const Nvml& nvml) {
  std::vector<std::string> ways;
  for (int other = 0; other < device_count(); ++other) {
    int can = 0;
    cudaDeviceProp properties{};
    if (other == ordinal || cudaDeviceCanAccessPeer(&can, ordinal, other) != cudaSuccess ||
        cudaGetDeviceProperties(&properties, other) != cudaSuccess)
      continue;
    const std::string path = nvml.path_to(uuid_text(properties.uuid));
    ways.push_back((can ? "peer access to cuda:" : "no peer access to cuda:") +
                   std::to_string(other) + (path.empty() ? "" : " (" + path + ")"));
  }
  return ways;
}

GuardSpan span_of(const GuardBand& band) {
  return {reinterpret_cast<unsigned char*>(band.begin), band.bytes};
}

}  // namespace

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

CudaDevice::CudaDevice(int ordinal, Profile profile, const SharedArena& arena, double known_chain_s,
                       Laps* start)
    : CudaDevice(ordinal, profile, false, arena, known_chain_s, start) {}

CudaDevice::CudaDevice(Guest guest)
    : CudaDevice(guest.ordinal, Profile::timing, true, "", kUnknown, nullptr) {}

CudaDevice::CudaDevice(int ordinal, Profile profile, bool is_guest, const SharedArena& arena,
                       double known_chain_s, Laps* start)
    : ordinal_(ordinal), profile_(profile), is_guest_(is_guest), is_placing_(arena != kNoArena) {
  const auto end_of = [&](const char* step) {
    if (start) start->end(step);
  };
  if (profile == Profile::trace) open_code();  // before modules are loaded
  check(cudaSetDevice(ordinal), "cudaSetDevice");
  // Other profiles keep their context: a trace does not see gaps between kernels, and a memory
  // checker would see the destroyed contexts.
  if (!is_guest && (profile == Profile::timing || profile == Profile::stock))
    context_ = draw_context(ordinal, known_chain_s);
  end_of("context");
  check(cudaGetDeviceProperties(&properties_, ordinal), "cudaGetDeviceProperties");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  work_stream_ = stream_;
  nvml_ = std::make_unique<Nvml>(uuid_text(properties_.uuid));
  hold_ = mapped_memory<HoldState>(1);
  clocks_ = mapped_memory<ClockReading>(2);
  guard_query_ = mapped_memory<GuardQuery>(1);
  upload_normal_quantiles();
  constexpr std::size_t kSumsBytes = (kDigestsMax + 1) * sizeof(DigestSums);
  check(cudaMalloc(reinterpret_cast<void**>(&digest_sums_), kSumsBytes), "cudaMalloc of digests");
  check(cudaMemsetAsync(digest_sums_, 0, kSumsBytes, stream_), "cudaMemsetAsync of digests");
  events_.resize(kHeldLaunchesMax);
  for (EventPair& pair : events_) {
    check(cudaEventCreate(&pair.start), "cudaEventCreate");
    check(cudaEventCreate(&pair.stop), "cudaEventCreate");
  }
  evict_bytes_ =
      std::max<std::size_t>(2 * std::size_t(properties_.l2CacheSize), std::size_t{256} << 20);
  check(cudaMalloc(&evict_buffer_, evict_bytes_), "cudaMalloc of the eviction buffer");
  launch_write(evict_buffer_, evict_bytes_, stream_);
  end_of("device");
  if (has_arena()) open_arena(arena);
  if (profile == Profile::counters) open_counters();
  end_of("arena");
  opened_s_ = now_s();
  calibrate_floor();
  end_of("floor");
}

void CudaDevice::expect_partner() { nvml_->expect_children(unsigned(getppid()), 1); }

CudaDevice::~CudaDevice() = default;  // the device lives as long as the process; the driver frees
                                      // the rest

void CudaDevice::open_arena(const SharedArena& shared) {
  std::size_t bytes = 0;
  if (!shared.empty()) {
    cudaIpcMemHandle_t handle;
    bytes = parse_shared_arena(shared, handle);
    check(cudaIpcOpenMemHandle(&arena_base_, handle, cudaIpcMemLazyEnablePeerAccess),
          "cudaIpcOpenMemHandle of the shared arena");
    return arena_.adopt(arena_base_, bytes);
  }
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::size_t spare =
      free_bytes > 2 * kArenaReserve ? free_bytes - kArenaReserve : free_bytes / 2;
  // A share of the device's total memory, so that both processes of a pair get the same size.
  bytes = std::min(spare, total_bytes / 10 * 6) / Arena::kLargeAlignment * Arena::kLargeAlignment;
  check(cudaMalloc(&arena_base_, bytes), "cudaMalloc of the arena");
  arena_.adopt(arena_base_, bytes);
}

/// Times do not depend on it: without CUPTI, the code of kernels is unknown.
void CudaDevice::open_code() {
  try {
    code_ = std::make_unique<LoadedCode>();
  } catch (const DeviceError&) {
    code_.reset();
  }
}

CodeOf CudaDevice::code_of() const {
  if (!code_) return nullptr;
  return [this](const LaunchedKernel& kernel) { return code_->hash_of(kernel); };
}

void CudaDevice::open_tracer() {
  try {
    tracer_ = std::make_unique<CuptiTracer>();
  } catch (const DeviceError& error) {
    no_tracer_ = error.what();
  }
}

SharedArena CudaDevice::share_arena() const {
  cudaIpcMemHandle_t handle;
  check(cudaIpcGetMemHandle(&handle, arena_base_), "cudaIpcGetMemHandle of the arena");
  return shared_arena_text(handle, arena_.bytes());
}

Environment describe(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  Environment e;
  e.device_kind = "cuda";
  e.device_model = properties.name;
  e.device_uuids = {uuid_text(properties.uuid)};
  e.device_memory_bytes = std::int64_t(properties.totalGlobalMem);
  e.device_l2_bytes = properties.l2CacheSize;
  e.device_units = properties.multiProcessorCount;
  e.ecc = properties.ECCEnabled != 0;
  const Nvml nvml(e.device_uuid());
  nvml.describe(e);
  for (const std::string& way : ways_from(ordinal, nvml))
    e.links += (e.links.empty() ? "" : ", ") + way;
  e.connections = connections_of_process();
  e.device_class = e.device_model;
  if (e.power_limit_w) e.device_class += ", " + shortest_text(*e.power_limit_w) + " W";
  e.device_class +=
      std::string(", ECC ") + (*e.ecc ? "on" : "off") + (e.mig == true ? ", MIG" : "");
  int version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess) e.cuda_driver = version_text(version);
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) e.cuda_runtime = version_text(version);
  return e;
}

std::string CudaDevice::use_ranks(int count) {
  if (!ranks_ && count <= 1) return "";
  if (!ranks_)
    ranks_ = std::make_unique<Ranks>(RanksSite{ordinal_, stream_, has_arena(), evict_bytes_});
  return ranks_->use(count);
}

void CudaDevice::begin_launch() {
  arena_.begin_launch();
  if (ranks_) ranks_->begin_launch();
}

void* CudaDevice::allocate(std::size_t bytes) {
  int current = ordinal_;
  if (has_ranks()) check(cudaGetDevice(&current), "cudaGetDevice");
  if (current != ordinal_) return allocate_for_rank(current, bytes);
  void* memory = nullptr;
  if (has_arena()) {
    memory = arena_.allocate(bytes);
    if (memory != nullptr) guard(memory, bytes);
  } else {
    memory = from_driver(bytes);
  }
  if (memory != nullptr && is_poisoning_)
    check(cudaMemsetAsync(memory, kPoison, bytes, work_stream_), "cudaMemsetAsync");
  return memory;
}

/// The rank's GPU is the current one.
void* CudaDevice::allocate_for_rank(int ordinal, std::size_t bytes) {
  void* const memory = has_arena() ? ranks_->allocate(ordinal, bytes) : from_driver(bytes);
  if (memory == nullptr) return nullptr;
  if (is_poisoning_) ranks_->poison_new(ordinal, memory, bytes);
  if (!has_arena()) return memory;
  const OnDevice on(ordinal_);
  std::optional<Ordered> ordered;  // the bands are written before the rank uses its memory
  if (!is_timing_) ordered.emplace(ranks_.get());
  guard(memory, bytes);
  return memory;
}

void CudaDevice::place(std::uint64_t key) {
  arena_.place(key);
  if (ranks_) ranks_->place(key);
  const std::lock_guard lock(guard_mutex_);
  if (!has_placed_ || key != placed_) guards_.clear();
  has_placed_ = true;
  placed_ = key;
}

void CudaDevice::poison(std::span<const MemorySpan> spans) {
  const Ordered ordered(ranks_.get());
  launch_poison(spans.data(), spans.size(), stream_);
}

void CudaDevice::digest(std::span<const MemorySpan> spans) {
  {
    const Ordered ordered(ranks_.get());
    launch_digest(spans.data(), spans.size(), &digest_sums_[digests_at_hand_], stream_);
  }
  if (++digests_at_hand_ == kDigestsMax) read_digests();
}

void CudaDevice::read_digests() {
  std::vector<DigestSums> sums(std::size_t(digests_at_hand_), DigestSums{});
  const std::size_t bytes = sums.size() * sizeof(DigestSums);
  check(cudaMemcpyAsync(sums.data(), digest_sums_, bytes, cudaMemcpyDeviceToHost, stream_),
        "cudaMemcpyAsync of digests");
  check(cudaMemsetAsync(digest_sums_, 0, bytes + sizeof(DigestSums), stream_), "cudaMemsetAsync");
  synchronize();
  for (const DigestSums& one : sums) digests_.push_back({one.bits, one.poisoned});
  digests_at_hand_ = 0;
}

std::vector<Digest> CudaDevice::take_digests() {
  if (digests_at_hand_ > 0) read_digests();
  return std::exchange(digests_, {});
}

/// Timed windows must contain only the launches. There, the bands of the untimed launch still
/// apply, because its allocations are repeated.
void CudaDevice::guard(void* memory, std::size_t bytes) {
  const std::lock_guard lock(guard_mutex_);
  if (guards_.knows(memory, bytes)) return;
  if (is_timing_) {
    has_allocated_ = true;
    guards_.make_way(memory, bytes);
    return;
  }
  const std::vector<GuardBand> bands = guards_.watch(memory, bytes);
  if (bands.empty()) return;
  GuardSpan spans[2]{};
  for (std::size_t i = 0; i < bands.size(); ++i) spans[i] = span_of(bands[i]);
  launch_guard(spans[0], spans[1], kGuardPattern, work_stream_);
}

std::vector<GuardBand> CudaDevice::guarded() {
  const std::lock_guard lock(guard_mutex_);
  return guards_.bands();
}

std::string CudaDevice::overrun() {
  const std::vector<GuardBand> bands = guarded();
  for (std::size_t first = 0; first < bands.size(); first += GuardQuery::kBandsMax) {
    const std::size_t count = std::min<std::size_t>(GuardQuery::kBandsMax, bands.size() - first);
    for (std::size_t i = 0; i < count; ++i) guard_query_->bands[i] = span_of(bands[first + i]);
    guard_query_->touched = -1;
    launch_guard_check(guard_query_, int(count), kGuardPattern, stream_);
    synchronize();
    if (const int touched = guard_query_->touched; touched >= 0)
      return in_words(bands[first + std::size_t(touched)]);
  }
  return "";
}

void CudaDevice::release(void* address) {
  if (has_arena() && ranks_ && ranks_->release(address)) return;
  if (has_arena())
    arena_.release(address);
  else
    check(cudaFree(address), "cudaFree");
}

void CudaDevice::fill(const Buffer& buffer, std::uint64_t seed, const Distribution& distribution) {
  const Ordered ordered(ranks_.get());
  launch_fill(buffer, seed, distribution, stream_);
}

void CudaDevice::synchronize() {
  check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  if (ranks_) ranks_->synchronize();
  check(cudaGetLastError(), "work on the device");
}

double CudaDevice::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace plumbline::cuda
