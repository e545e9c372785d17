/// Short names of causes for a headline: `softmax float16`, `gemm bfloat16 with k=4096`.
///
/// Contains no markup: whoever shows these texts escapes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// What changed: a cause, or a case without a cause.
struct Culprit {
  const Cause* cause = nullptr;
  const Finding* finding = nullptr;  // of the case; with a cause: its worst finding, if known
  std::string name;
  double low = 0, high = 0;  // change of the worst metric: its range over the cases
};

/// The culprits of a verdict that count: most costly cause first, then cases without a cause.
std::vector<Culprit> culprits_of(const Comparison& comparison, Verdict verdict);

/// `8 %`, `4 to 8 %`: only the size.
std::string size_words(const Culprit& culprit);

/// `softmax float16 is 8 % slower; so are layer_norm backward (5 %) and gemm (3.6 %)`: names the
/// first three and counts the rest. "" for none. `verb`: is, looks; `how`: slower, faster. For a
/// metric other than time, says its name, and worse or better: `50 % worse in peak_memory`.
std::string changed_words(const std::vector<Culprit>& culprits, std::string_view verb,
                          std::string_view how);

/// `Today the baseline’s side takes 50 % longer than when it was accepted (5 cases)`: the median
/// over the cases where pairs show it; "" for none.
std::string moved_words(const std::vector<const Finding*>& cases);

/// `sdpa float16 gives wrong results; silu crashed`.
std::string broken_words(const std::vector<Culprit>& culprits);

}  // namespace plumbline
