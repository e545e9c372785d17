/// One piece of memory that holds all tensors of a case, at offsets determined by a hash.
///
/// The place of tensors changes kernel times by up to 12 %. An allocator that returns the same
/// pages again hides that inside a process. Here a placement is a key: the n-th allocation after
/// place(key) always gets the same offset, in every process with an arena of this size. Another key
/// gives another offset. From kMostScattered live allocations on, further ones are packed one after
/// another: a reference of a thousand steps keeps tensors for its gradients, and scattered they
/// would leave no room for a large one. Small ones are scattered over the first half only, for the
/// same reason, and those of a sixteenth of the arena and more lie in a grid of their size. At
/// least kGuardBytes around each allocation stay free: the guard bands, which a device fills with a
/// pattern (guard_bands.h). Knows nothing of CUDA: it hands out addresses and never touches the
/// memory.
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
  /// `base` must be aligned to kLargeAlignment, so that aligned offsets give aligned addresses.
  void adopt(void* base, std::size_t bytes);

  /// Allocations from now on belong to the placement `key`.
  void place(std::uint64_t key);
  /// Restricts allocations from now on to one of `parts` equal parts of the arena, counted from 0.
  /// So launches on several streams never share memory that another stream may still use.
  void confine(int part, int parts);
  /// A launch begins: its allocations get the places of the previous launch.
  void begin_launch();

  /// An address at a hashed offset whose guard bands touch no live allocation; nullptr if there is
  /// no room. Aligned as LibTorch's caching allocator aligns: 512 bytes, 2 MB from 10 MB up.
  void* allocate(std::size_t bytes);
  void release(void* address);

  /// The memory up to kFarBytes around a live allocation that holds no other allocation or guard
  /// band. Empty if `address` is no live allocation of this part of the arena.
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
  /// The first free offset among those that a hash gives.
  std::size_t scattered(std::size_t bytes, std::size_t alignment, std::uint64_t seed) const;
  /// After the previous packed allocation; the first of a placement or launch at a hashed offset.
  std::size_t packed(std::size_t bytes, std::size_t alignment, std::uint64_t seed);
  /// Searches the part from that offset on for the first gap.
  std::size_t first_fit(std::size_t from, std::size_t bytes, std::size_t alignment) const;

  mutable std::mutex mutex_;  // autograd allocates on its own threads
  char* base_ = nullptr;
  std::size_t bytes_ = 0, live_bytes_ = 0;
  std::size_t begin_ = 0, end_ = 0;          // of the current part
  std::map<std::size_t, std::size_t> live_;  // offset -> bytes
  std::uint64_t key_ = 0;
  std::uint64_t ordinal_ = 0;
  std::size_t packed_end_ = 0;  // 0: none packed yet
  bool is_in_launch_ = false;
};

}  // namespace plumbline
