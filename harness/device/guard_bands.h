/// The memory around allocations, filled with a pattern: what is found changed there was written
/// out of bounds.
///
/// Bookkeeping only: a device writes the pattern and looks at it, a GPU with one small kernel for
/// each allocation and one for all bands after a block. Bands are written when memory is
/// allocated outside timed windows; inside them an allocation is expected at a place that an
/// untimed launch had already, and is noted where it is not. Around what a checked launch has, far
/// bands reach beyond those that every allocation has, as far as nothing else lies there.
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
  char* allocation = nullptr;  // that it guards
  std::size_t allocation_bytes = 0;
};

inline constexpr int kGuardPattern = 0xa5;

/// "after an allocation of 4096 bytes": for a band that was found changed.
std::string in_words(const GuardBand& band);

/// All but bands() take logarithmic time in the number of allocations.
class GuardBands {
 public:
  /// The bands of a new allocation, at most two, to be filled with the pattern. Bands that lay
  /// where it is now are forgotten; none is laid where an earlier allocation since clear() was: a
  /// launch that is repeated will write there again.
  std::vector<GuardBand> watch(void* address, std::size_t bytes);
  /// The far bands of an allocation that is watched: what of the room around it its bands leave.
  /// They too are forgotten where a later allocation lies, and not laid where an earlier one was;
  /// beyond a thousand there are no more.
  std::vector<GuardBand> watch_far(void* address, std::size_t bytes, std::span<char> room);
  /// Those since clear(), as address and bytes.
  std::vector<std::pair<char*, std::size_t>> allocations() const;
  /// True if an earlier allocation since clear() was exactly this one.
  bool knows(const void* address, std::size_t bytes) const;
  void clear();

  std::vector<GuardBand> bands() const;

 private:
  using Bands = std::map<char*, GuardBand>;  // by their begin

  /// Of bands up to that long.
  static void forget(Bands& bands, std::size_t longest, char* begin, char* end);
  bool is_used(const GuardBand& band) const;
  void use(char* begin, char* end);

  std::set<std::pair<char*, std::size_t>> allocations_;  // address, bytes
  std::map<char*, char*> used_;  // by their allocations: begin -> end, apart from each other
  Bands bands_, far_;
};

}  // namespace plumbline
