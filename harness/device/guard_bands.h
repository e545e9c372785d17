/// Memory around allocations, filled with a pattern: a changed pattern means a write out of bounds.
///
/// Only keeps the books: a device writes and checks the pattern. A GPU uses one small kernel for
/// each allocation and one for all bands after a block. Bands are written when memory is allocated
/// outside timed windows. Inside a window, an allocation is expected at the place of an untimed
/// launch, and is noted if it is elsewhere. Allocations of a checked launch also have far bands,
/// which reach beyond the normal bands as far as nothing else lies there.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// A piece of memory that nobody may write.
struct GuardBand {
  char* begin = nullptr;
  std::size_t bytes = 0;
  char* allocation = nullptr;  // the guarded allocation
  std::size_t allocation_bytes = 0;
};

inline constexpr int kGuardPattern = 0xa5;

/// Describes a changed band: "after an allocation of 4096 bytes".
std::string in_words(const GuardBand& band);

/// All except bands() take logarithmic time in the number of allocations.
class GuardBands {
 public:
  /// The bands of a new allocation, at most two, to be filled with the pattern. Forgets bands where
  /// the allocation lies. Makes no band where an earlier allocation since clear() was: a repeated
  /// launch writes there again.
  std::vector<GuardBand> watch(void* address, std::size_t bytes);
  /// An allocation that is not watched, as those of timed launches: forgets bands where it lies.
  void make_way(void* address, std::size_t bytes);
  /// The far bands of a watched allocation: the part of `room` outside its normal bands. They are
  /// also forgotten where a later allocation lies, and not made where an earlier one was. There are
  /// at most a thousand.
  std::vector<GuardBand> watch_far(void* address, std::size_t bytes, std::span<char> room);
  /// Allocations since clear(), as address and bytes.
  std::vector<std::pair<char*, std::size_t>> allocations() const;
  /// True if exactly this allocation was made before, since clear().
  bool knows(const void* address, std::size_t bytes) const;
  void clear();

  std::vector<GuardBand> bands() const;

 private:
  using Bands = std::map<char*, GuardBand>;  // by their begin

  /// Forgets bands in that range; no band is longer than `longest`.
  static void forget(Bands& bands, std::size_t longest, char* begin, char* end);
  bool is_used(const GuardBand& band) const;
  void use(char* begin, char* end);

  std::set<std::pair<char*, std::size_t>> allocations_;  // address, bytes
  std::map<char*, char*> used_;                          // by allocations: begin -> end, disjoint
  Bands bands_, far_;
};

}  // namespace plumbline
