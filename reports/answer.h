/// The answer of a comparison: one of five, with the sentence that leads the page, the terminal's
/// text and the comment of a pull request, and what to do where there is no verdict.
///
/// Knows no markup: whoever shows these texts escapes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"

namespace plumbline {

enum class AnswerKind { broken, slower, not_comparable, cannot_tell, clean };

struct Answer {
  AnswerKind kind = AnswerKind::clean;
  std::string headline;  // `softmax float16 is 8 % slower; so is gemm bfloat16 (3.6 %).`
  std::string advice;    // what to do, a sentence; "" where the causes say it
  std::string command;   // that does it, as it can be typed; "" for none
};

/// Broken before slower before the rest, as in exit_code(): broken and slower go with 1, clean with
/// 0, the others with 3. A case that is missing, of a comparison in which none is slower, is
/// broken.
Answer answer_of(const Comparison& comparison);

/// `Cannot tell`.
std::string_view word_of(AnswerKind kind);
/// How the page shows it: never by colour alone. `tone` is a class of page.css.
std::string_view symbol_of(AnswerKind kind);
std::string_view tone_of(AnswerKind kind);

/// `Slower: softmax float16 is 8 % slower.`
std::string answer_text(const Answer& answer);

}  // namespace plumbline
