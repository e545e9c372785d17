/// A cause in words: the same on the page, in the terminal and in exports.
///
/// Knows no markup: whoever shows these texts escapes them.
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// `dtype=bfloat16 and k ≥ 4096`; "" for everything.
std::string region_text(const std::vector<AxisCondition>& region);

/// `12 of 14 cases with dtype=bfloat16 and k ≥ 4096; 1 could not be resolved`.
std::string where_text(const CausePart& part);

/// `gemm libtorch`; over ops `kernel NAME in 3 ops` and the like.
std::string subject_text(const Cause& cause);

/// `+4.1 % to +6.3 %`, `+5.0 %`.
std::string range_text(const MetricChange& change);

/// The same of the metric of the worst case. "" where there is no change.
std::string size_text(const Cause& cause);

/// `Running each affected case once takes 12.4 µs longer in total.`; "" where it is not known.
std::string cost_text(const Cause& cause);

/// One line of what else is known: `also changed`, `registers of a thread 64 → 72`.
struct FactLine {
  std::string label, text;
};
/// The likely reason first, then what changed, what is the same, and what is not known.
std::vector<FactLine> fact_lines(const Cause& cause);

/// `gemm libtorch: 12 of 14 cases with …`: which cases.
std::string cause_headline(const Cause& cause);

/// Everything in one sentence without the facts that stayed the same, for a line of text:
/// `gemm libtorch: 12 of 14 cases with …, +4.1 % to +6.3 %; also changed: …`.
std::string cause_line(const Cause& cause);

}  // namespace plumbline
