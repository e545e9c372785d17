#include "device/cuda/ranks.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "device/cuda/held_stream.h"

namespace plumbline::cuda {
namespace {

/// Of another rank's memory. Both workers of a pair must have room for theirs.
constexpr double kArenaShare = 0.3;
constexpr std::size_t kArenaReserve = std::size_t{4} << 30;  // for NCCL, LibTorch and code
constexpr std::size_t kEvictPiece = 4096;
constexpr int kExchanges = 200;
constexpr std::uint64_t kExchangeWatchdogNs = 50'000'000;

cudaEvent_t new_event(unsigned flags) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return event;
}

std::string name_of(int ordinal) { return "cuda:" + std::to_string(ordinal); }

}  // namespace

OnDevice::OnDevice(int ordinal) {
  check(cudaGetDevice(&before_), "cudaGetDevice");
  if (ordinal != before_) check(cudaSetDevice(ordinal), "cudaSetDevice");
}

OnDevice::~OnDevice() { cudaSetDevice(before_); }

Ranks::Ranks(RanksSite site) : site_(site) {
  forked_ = new_event(cudaEventDisableTiming);
  exchange_ = mapped_memory<ClockExchange>(1);
  launch_ask_clock(exchange_, 0, 0, site_.stream);  // loads it
}

Ranks::~Ranks() = default;  // they live as long as the process; the driver frees the rest

Ranks::Rank* Ranks::with_ordinal(int ordinal) {
  for (std::size_t i = 0; i < used_; ++i)
    if (others_[i]->ordinal == ordinal) return others_[i].get();
  return nullptr;
}

std::string Ranks::use(int count) {
  used_ = 0;
  if (count <= 1) return "";
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  if (count > devices)
    return "ranks=" + std::to_string(count) + ": this machine has " + std::to_string(devices) +
           (devices == 1 ? " GPU" : " GPUs") + "; each rank needs one of its own";
  while (int(others_.size()) + 1 < count)
    if (const std::string reason = open_next(devices); !reason.empty()) return reason;
  used_ = std::size_t(count) - 1;
  for (std::size_t i = 0; i < used_; ++i)
    if (const std::string reason = compare_clocks(*others_[i]); !reason.empty()) return reason;
  return "";
}

/// Rank 0's kernels write to the others' memory.
std::string Ranks::allow_access(int ordinal) const {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, site_.ordinal, ordinal), "cudaDeviceCanAccessPeer");
  if (can == 0)
    return "ranks: " + name_of(site_.ordinal) + " cannot access the memory of " + name_of(ordinal) +
           " (no NVLink, and no peer access over the bus)";
  const cudaError_t code = cudaDeviceEnablePeerAccess(ordinal, 0);
  if (code == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();  // LibTorch or NCCL has enabled it
  else
    check(code, "cudaDeviceEnablePeerAccess");
  return "";
}

std::string Ranks::open_next(int devices) {
  auto rank = std::make_unique<Rank>();
  rank->ordinal = (site_.ordinal + int(others_.size()) + 1) % devices;
  if (std::string reason = allow_access(rank->ordinal); !reason.empty()) return reason;
  const OnDevice on(rank->ordinal);
  check(cudaStreamCreateWithFlags(&rank->stream, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags");
  rank->start = new_event(cudaEventDefault);
  rank->stop = new_event(cudaEventDefault);
  rank->done = new_event(cudaEventDisableTiming);
  rank->released = mapped_memory<ClockReading>(1);
  rank->arrived = mapped_memory<std::uint32_t>(1);
  *rank->arrived = 0;
  check(cudaMalloc(&rank->evict_buffer, site_.evict_bytes), "cudaMalloc of the eviction buffer");
  launch_write(rank->evict_buffer, site_.evict_bytes, rank->stream);
  if (site_.has_arena) open_arena(*rank);
  load_kernels(*rank);
  check(cudaStreamSynchronize(rank->stream), "cudaStreamSynchronize");
  others_.push_back(std::move(rank));
  return "";
}

/// The driver loads a kernel at its first launch, which may wait for what runs on the GPUs. These
/// kernels are launched while others spin.
void Ranks::load_kernels(const Rank& rank) const {
  auto* const released = mapped_memory<HoldState>(1);
  released->released = 1;
  launch_hold(released, 0, rank.stream);
  launch_arrive(rank.arrived, 0, rank.stream);
  launch_clock_reading(rank.released, rank.stream);
  launch_evict(rank.evict_buffer, kEvictPiece, released, rank.stream);
  launch_answer_clock(exchange_, 0, 0, rank.stream);
}

void Ranks::open_arena(Rank& rank) const {
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::size_t spare =
      free_bytes > 2 * kArenaReserve ? free_bytes - kArenaReserve : free_bytes / 2;
  const std::size_t bytes = std::min(spare, std::size_t(kArenaShare * double(total_bytes))) /
                            Arena::kLargeAlignment * Arena::kLargeAlignment;
  void* base = nullptr;
  check(cudaMalloc(&base, bytes), "cudaMalloc of another rank's arena");
  rank.arena_base = static_cast<char*>(base);
  rank.arena.adopt(base, bytes);
}

std::string Ranks::compare_clocks(Rank& rank) {
  exchange_->asked = 0;
  exchange_->answered = 0;
  exchange_->round_trip_ns = std::numeric_limits<std::uint64_t>::max();
  launch_ask_clock(exchange_, kExchanges, kExchangeWatchdogNs, site_.stream);
  {
    const OnDevice on(rank.ordinal);
    launch_answer_clock(exchange_, kExchanges, kExchangeWatchdogNs, rank.stream);
    check(cudaStreamSynchronize(rank.stream), "the answers of another GPU's clock");
  }
  check(cudaStreamSynchronize(site_.stream), "questions to another GPU's clock");
  if (exchange_->round_trip_ns == std::numeric_limits<std::uint64_t>::max())
    return "ranks: " + name_of(rank.ordinal) + " does not answer while " + name_of(site_.ordinal) +
           " waits for it: kernels of both do not run at the same time";
  rank.clock_offset_ns = exchange_->offset_ns;
  rank.clock_uncertainty_ns = exchange_->round_trip_ns / 2;
  return "";
}

void Ranks::compare_clocks_again() {
  for (std::size_t i = 0; i < used_; ++i)
    if (const std::string reason = compare_clocks(*others_[i]); !reason.empty())
      throw DeviceError(reason, DeviceError::Kind::sticky);
}

void Ranks::fork() {
  if (used_ == 0) return;
  check(cudaEventRecord(forked_, site_.stream), "cudaEventRecord");
  for (std::size_t i = 0; i < used_; ++i)
    check(cudaStreamWaitEvent(others_[i]->stream, forked_, 0), "cudaStreamWaitEvent");
}

void Ranks::join() {
  for (std::size_t i = 0; i < used_; ++i) {
    check(cudaEventRecord(others_[i]->done, others_[i]->stream), "cudaEventRecord");
    check(cudaStreamWaitEvent(site_.stream, others_[i]->done, 0), "cudaStreamWaitEvent");
  }
}

void Ranks::synchronize() {
  for (std::size_t i = 0; i < used_; ++i)
    check(cudaStreamSynchronize(others_[i]->stream), "cudaStreamSynchronize of another rank");
}

void Ranks::hold(HoldState* hold, std::uint64_t watchdog_ns) {
  fork();
  ++holds_;
  for (std::size_t i = 0; i < used_; ++i) {
    Rank& rank = *others_[i];
    const OnDevice on(rank.ordinal);
    launch_arrive(rank.arrived, holds_, rank.stream);
    launch_hold(hold, watchdog_ns, rank.stream);
    launch_clock_reading(rank.released, rank.stream);
  }
}

bool Ranks::wait_until_held(double patience_s) const {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration<double>(patience_s);
  for (std::size_t i = 0; i < used_; ++i)
    while (*others_[i]->arrived != holds_)
      if (Clock::now() > until) return false;
  return true;
}

void Ranks::evict(CacheState cache, HoldState* sink) {
  for (std::size_t i = 0; i < used_; ++i) {
    Rank& rank = *others_[i];
    const OnDevice on(rank.ordinal);
    if (cache == CacheState::cold_write)
      launch_write(rank.evict_buffer, site_.evict_bytes, rank.stream);
    else
      launch_evict(rank.evict_buffer, site_.evict_bytes, sink, rank.stream);
  }
}

void Ranks::start() {
  for (std::size_t i = 0; i < used_; ++i)
    check(cudaEventRecord(others_[i]->start, others_[i]->stream), "cudaEventRecord");
}

void Ranks::stop() {
  for (std::size_t i = 0; i < used_; ++i)
    check(cudaEventRecord(others_[i]->stop, others_[i]->stream), "cudaEventRecord");
}

double Ranks::longest_s() const {
  float longest_ms = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, others_[i]->start, others_[i]->stop),
          "cudaEventElapsedTime");
    longest_ms = std::max(longest_ms, milliseconds);
  }
  return longest_ms * 1e-3;
}

std::vector<double> Ranks::starts_s(const ClockReading& own) const {
  std::vector<std::int64_t> after_ns{0};  // after rank 0
  for (std::size_t i = 0; i < used_; ++i)
    after_ns.push_back(std::int64_t(others_[i]->released->nanoseconds) -
                       others_[i]->clock_offset_ns - std::int64_t(own.nanoseconds));
  const std::int64_t first = std::ranges::min(after_ns);
  std::vector<double> starts_s;
  for (const std::int64_t ns : after_ns) starts_s.push_back(double(ns - first) * 1e-9);
  return starts_s;
}

double Ranks::start_uncertainty_s() const {
  std::uint64_t largest_ns = 0;
  for (std::size_t i = 0; i < used_; ++i)
    largest_ns = std::max(largest_ns, others_[i]->clock_uncertainty_ns);
  return double(largest_ns) * 1e-9;
}

void Ranks::place(std::uint64_t key) {
  for (const auto& rank : others_) rank->arena.place(key);
}

void Ranks::begin_launch() {
  for (const auto& rank : others_) rank->arena.begin_launch();
}

void* Ranks::allocate(int ordinal, std::size_t bytes) {
  Rank* const rank = with_ordinal(ordinal);
  return rank == nullptr ? nullptr : rank->arena.allocate(bytes);
}

void Ranks::poison_new(int ordinal, void* memory, std::size_t bytes) {
  const Rank* const rank = with_ordinal(ordinal);
  if (rank == nullptr) return;
  const OnDevice on(ordinal);
  check(cudaMemsetAsync(memory, kPoison, bytes, rank->stream), "cudaMemsetAsync");
}

bool Ranks::release(void* address) {
  for (const auto& rank : others_) {
    const char* const place = static_cast<const char*>(address);
    if (place < rank->arena_base || place >= rank->arena_base + rank->arena.bytes()) continue;
    rank->arena.release(address);
    return true;
  }
  return false;
}

}  // namespace plumbline::cuda
