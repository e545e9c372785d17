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
constexpr std::uint64_t kMeetingWatchdogNs = 50'000'000;

cudaEvent_t new_event(unsigned flags) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return event;
}

/// In the current device's memory, unless another GPU wrote to it: number 0.
Mailbox* new_mailbox() {
  void* box = nullptr;
  check(cudaMalloc(&box, sizeof(Mailbox)), "cudaMalloc of a mailbox");
  check(cudaMemset(box, 0, sizeof(Mailbox)), "cudaMemset of a mailbox");
  return static_cast<Mailbox*>(box);
}

/// Of the current device to another one's memory.
void enable_access(int ordinal) {
  const cudaError_t code = cudaDeviceEnablePeerAccess(ordinal, 0);
  if (code == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();  // LibTorch or NCCL has enabled it
  else
    check(code, "cudaDeviceEnablePeerAccess");
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
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  meetings_ = mapped_memory<Meeting>(std::size_t(devices));
  load_meeting_kernels();
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
  constexpr int kTries = 3;  // the host may be interrupted between the launches
  std::string reason;
  for (int i = 0; i < kTries; ++i)
    if (reason = meet(); reason.empty()) return "";
  used_ = 0;
  return reason;
}

/// Whether kernels of all ranks run at the same time: they compare their clocks.
std::string Ranks::meet() {
  auto* const state = mapped_memory<HoldState>(1);
  state->released = 1;
  hold(state, kMeetingWatchdogNs);
  join();
  check(cudaStreamSynchronize(site_.stream), "a meeting of all ranks");
  check(cudaFreeHost(state), "cudaFreeHost");
  for (std::size_t i = 0; i < used_; ++i)
    if (meetings_[i].round_trip_ns == kNoAnswer)
      return "ranks: " + name_of(others_[i]->ordinal) + " does not answer while " +
             name_of(site_.ordinal) + " waits for it: kernels of both do not run at the same time";
  return "";
}

/// Rank 0's kernels write to the others' memory, and the others' kernels to rank 0's.
std::string Ranks::allow_access(int ordinal) const {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, site_.ordinal, ordinal), "cudaDeviceCanAccessPeer");
  if (can == 0)
    return "ranks: " + name_of(site_.ordinal) + " cannot access the memory of " + name_of(ordinal) +
           " (no NVLink, and no peer access over the bus)";
  enable_access(ordinal);
  const OnDevice there(ordinal);
  enable_access(site_.ordinal);
  return "";
}

std::string Ranks::open_next(int devices) {
  auto rank = std::make_unique<Rank>();
  rank->ordinal = (site_.ordinal + int(others_.size()) + 1) % devices;
  if (std::string reason = allow_access(rank->ordinal); !reason.empty()) return reason;
  meetings_[others_.size()].from = new_mailbox();
  const OnDevice on(rank->ordinal);
  meetings_[others_.size()].to = new_mailbox();
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
  load_meeting_kernels();
  launch_arrive(rank.arrived, 0, rank.stream);
  launch_clock_reading(rank.released, rank.stream);
  auto* const sink = mapped_memory<HoldState>(1);
  launch_evict(rank.evict_buffer, kEvictPiece, sink, rank.stream);
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
  const std::uint32_t first = holds_ * kNumbersOfAMeeting;
  for (std::size_t i = 0; i < used_; ++i) {
    Rank& rank = *others_[i];
    const OnDevice on(rank.ordinal);
    launch_arrive(rank.arrived, holds_, rank.stream);
    launch_follow(hold, meetings_[i].to, meetings_[i].from, first, watchdog_ns, rank.stream);
    launch_clock_reading(rank.released, rank.stream);
  }
  launch_lead(hold, meetings_, int(used_), first, watchdog_ns, site_.stream);
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
    after_ns.push_back(std::int64_t(others_[i]->released->nanoseconds) - meetings_[i].offset_ns -
                       std::int64_t(own.nanoseconds));
  const std::int64_t first = std::ranges::min(after_ns);
  std::vector<double> starts_s;
  for (const std::int64_t ns : after_ns) starts_s.push_back(double(ns - first) * 1e-9);
  return starts_s;
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
