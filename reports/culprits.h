/// Causes by short names, for a headline: `softmax float16`, `gemm bfloat16 with k=4096`.
///
/// Knows no markup: whoever shows these texts escapes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// What changed: a cause, or a case that has none.
struct Culprit {
  const Cause* cause = nullptr;
  const Finding* finding =
      nullptr;  // of the case; where there is a cause its worst, if it is known
  std::string name;
  double low = 0, high = 0;  // change of the worst metric: smallest and largest of its cases
};

/// Those of a verdict that count, most costly cause first, then cases without a cause.
std::vector<Culprit> culprits_of(const Comparison& comparison, Verdict verdict);

/// `8 %`, `4 to 8 %`: the size alone.
std::string size_words(const Culprit& culprit);

/// `softmax float16 is 8 % slower; so are layer_norm backward (5 %) and gemm (3.6 %)`; the first
/// three by name, the rest by number. "" for none. `verb`: is, looks; `how`: slower, faster. A
/// metric that is no time is named, and gets worse or better: `50 % worse in peak_memory`.
std::string changed_words(const std::vector<Culprit>& culprits, std::string_view verb,
                          std::string_view how);

/// `Today the baseline’s side takes 50 % longer than when it was accepted (5 cases)`: the median of
/// the cases of which pairs say so; "" for none.
std::string moved_words(const std::vector<const Finding*>& cases);

/// `sdpa float16 gives wrong results; silu crashed`.
std::string broken_words(const std::vector<Culprit>& culprits);

}  // namespace plumbline
