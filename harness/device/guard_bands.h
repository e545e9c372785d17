/// The memory around allocations, filled with a pattern: what is found changed there was written
/// out of bounds.
///
/// Bookkeeping only: a device writes the pattern and looks at it. Bands are written when memory is
/// allocated outside timed windows; inside them an allocation is expected at a place that an
/// untimed launch had already, and is noted where it is not.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace plumbline {

/// A piece of memory that nobody may write.
struct GuardBand {
  char* begin = nullptr;
  std::size_t bytes = 0;
  char* allocation = nullptr;  // that it guards
};

inline constexpr int kGuardPattern = 0xa5;

class GuardBands {
 public:
  /// The two bands of a new allocation, to be filled with the pattern. Bands that lay where it is
  /// now are forgotten.
  std::vector<GuardBand> watch(void* address, std::size_t bytes);
  /// True if an earlier allocation since clear() was exactly this one.
  bool knows(const void* address, std::size_t bytes) const;
  void clear() { allocations_.clear(), bands_.clear(); }

  std::vector<GuardBand> bands() const;
  /// "512 bytes before an allocation of 4096 bytes": for the band that was found changed.
  std::string in_words(const GuardBand& band) const;

 private:
  bool is_used(const GuardBand& band) const;

  std::map<char*, std::size_t> allocations_;
  std::map<char*, GuardBand> bands_;  // by their begin
};

}  // namespace plumbline
