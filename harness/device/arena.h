/// One piece of memory in which everything of a case is placed, at offsets that a hash decides.
///
/// Where tensors lie moves kernels by up to 12 %; an allocator that hands the same pages back hides
/// that inside a process. Here a placement is a key: the n-th allocation after place(key) always
/// gets the same offset, in every process with an arena of this size, and another key another.
/// Beyond kMostScattered live allocations further ones lie one behind another: what a reference of
/// a thousand steps keeps for its gradients, scattered, would leave no room for anything large.
/// Around each allocation at least kGuardBytes stay free: the guard bands, which a device fills
/// with a pattern (guard_bands.h). Knows nothing of CUDA: it hands out addresses and never touches
/// the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>

namespace plumbline {

class Arena {
 public:
  Arena() = default;
  /// `base` must be aligned to kLargeAlignment for offsets to be alignments.
  void adopt(void* base, std::size_t bytes);

  /// Allocations from now on belong to the placement `key`.
  void place(std::uint64_t key);
  /// Allocations from now on lie in that one, from 0, of so many equal parts of the arena: launches
  /// on several streams do not get each other's memory, which a stream may still be at work in.
  void confine(int part, int parts);
  /// Allocations of a launch repeat those of the launch before.
  void begin_launch();

  /// An address at a hashed offset whose guard bands touch no live allocation; nullptr when none is
  /// free.
  /// Aligned as LibTorch's caching allocator aligns: 512 bytes, 2 MB from 10 MB up.
  void* allocate(std::size_t bytes);
  void release(void* address);

  /// The memory up to kFarBytes around a live allocation in which nothing else lies, nor its guard
  /// bands; empty for what is no live allocation of this part of the arena.
  std::span<char> room_around(const void* address) const;
  std::size_t bytes() const { return bytes_; }
  std::size_t live_bytes() const { return live_bytes_; }

  static constexpr std::size_t kGuardBytes = 512;
  static constexpr std::size_t kFarBytes = std::size_t{64} << 10;
  static constexpr std::size_t kSmallAlignment = 512;
  static constexpr std::size_t kLargeAlignment = std::size_t{2} << 20;
  static constexpr std::size_t kLargeFrom = std::size_t{10} << 20;
  static constexpr std::size_t kMostScattered = 64;

 private:
  bool is_free(std::size_t offset, std::size_t bytes) const;
  /// The first that a hash names and that is free.
  std::size_t scattered(std::size_t bytes, std::size_t alignment, std::uint64_t seed) const;
  /// Behind the one before; the first of a placement or launch at a hashed offset.
  std::size_t packed(std::size_t bytes, std::size_t alignment, std::uint64_t seed);
  /// Goes through the allocations of the part from that offset on.
  std::size_t first_fit(std::size_t from, std::size_t bytes, std::size_t alignment) const;

  mutable std::mutex mutex_;  // autograd allocates on threads of its own
  char* base_ = nullptr;
  std::size_t bytes_ = 0, live_bytes_ = 0;
  std::size_t begin_ = 0, end_ = 0;          // of the part in which allocations lie
  std::map<std::size_t, std::size_t> live_;  // offset -> bytes
  std::uint64_t key_ = 0;
  std::uint64_t ordinal_ = 0;
  std::size_t packed_end_ = 0;  // 0: none is packed yet
  bool is_in_launch_ = false;
};

}  // namespace plumbline
