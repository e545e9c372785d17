/// Bytes that a launch moved according to the GPU's counters, against those that its case declares
/// (`cost: bytes`, or the op's own cost). Rates, rooflines and "faster than the device" rest on
/// the declared ones, so a large difference is a finding about the suite. More bytes may also be
/// the implementation's: it moves data more than once. Fewer cannot.
///
/// Pure; changes no verdict.
#pragma once

#include <string>
#include <string_view>

#include "analysis/compare/comparison.h"
#include "core/run/run.h"

namespace plumbline {

inline constexpr std::string_view kFlagDeclaredBytes = "declared bytes are off";

struct MovedBytes {
  double declared = kUnknown, moved = kUnknown;  // of one launch; unknown: nothing to compare
  bool is_off = false;                           // the declared ones, by more than 10 %
  std::string text;  // what the comparison gives, in words; "" if there is nothing to compare
};

/// `moved`: between DRAM and L2, in a launch with a cold L2 (`dram_bytes`). What a launch writes
/// may stay in L2, so it moved up to the size of L2 more. Nothing is said of launches that need
/// less than twice L2: what is used again stays there. L2's contents before the launch do not
/// count: the eviction leaves nothing that must be written back.
MovedBytes moved_bytes(double declared, double moved, const Environment& environment);

/// Collects the cases of a run whose declared bytes are off.
class CostsOff {
 public:
  /// `run`: with all rows of its cases.
  void add(const Run& run);
  /// A sentence that names them; "": none is known.
  std::string sentence() const;

 private:
  std::size_t off_ = 0;
  std::string named_;
};

/// The sentence for all cases of a run.
std::string costs_that_are_off(const Run& run);

/// Adds that sentence to the comparison's notes.
void note_costs_that_are_off(const Run& candidate, Comparison& comparison);

}  // namespace plumbline
