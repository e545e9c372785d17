/// A cause in words: the same text on the page, in the terminal and in exports.
///
/// Contains no markup: whoever shows these texts escapes them.
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// `dtype=bfloat16 and k ≥ 4096`; "" for everything.
std::string region_text(const std::vector<AxisCondition>& region);

/// `12 of 14 cases with dtype=bfloat16 and k ≥ 4096; 1 could not be resolved`.
std::string where_text(const CausePart& part);

/// `gemm libtorch`; for several ops `kernel NAME in 3 ops` and similar.
std::string subject_text(const Cause& cause);

/// `+4.1 % to +6.3 %`, `+5.0 %`.
std::string range_text(const MetricChange& change);

/// The same for the metric of the worst case. "" if there is no change.
std::string size_text(const Cause& cause);

/// `Running each affected case once takes 12.4 µs longer in total.`; "" if unknown.
std::string cost_text(const Cause& cause);

/// One line about what else is known: `also changed`, `registers of a thread 64 → 72`.
struct FactLine {
  std::string label, text;
};
/// In this order: where the time went, the likely reason, what changed, what is equal, what is
/// unknown. `whole`: the comparison that has the cause; it knows what changed in kernels' code.
std::vector<FactLine> fact_lines(const Cause& cause, const Comparison* whole = nullptr);

/// `scaled: 412 → 436 instructions (FFMA 64 → 72, LDG 8 → 12)`; "" if the instructions are not
/// known.
std::string code_text(const CodeChange& change);

/// `gemm libtorch: 12 of 14 cases with …`: names the cases.
std::string cause_headline(const Cause& cause);

/// Everything in one sentence except the facts that did not change, for a line of text: `gemm
/// libtorch: 12 of 14 cases with …, +4.1 % to +6.3 %; also changed: …`. `whole` as for
/// fact_lines().
std::string cause_line(const Cause& cause, const Comparison* whole = nullptr);

}  // namespace plumbline
