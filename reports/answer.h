/// The answer of a comparison: one of five kinds, and a headline for the page, the terminal and
/// pull request comments. Without a verdict, also what to do.
///
/// Contains no markup: whoever shows these texts escapes them.
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
  std::string advice;    // what to do, a sentence; "" if the causes say it
  std::string command;   // the command that does it, ready to type; "" = none
};

/// Broken before slower before the rest, as in exit_code(): broken and slower belong to exit code
/// 1, clean to 0, the others to 3. A missing case counts as broken if no case is slower.
Answer answer_of(const Comparison& comparison);

/// `Cannot tell`.
std::string_view word_of(AnswerKind kind);
/// How the page shows it: never by colour alone. `tone` is a CSS class of page.css.
std::string_view symbol_of(AnswerKind kind);
std::string_view tone_of(AnswerKind kind);

/// `Slower: softmax float16 is 8 % slower.`
std::string answer_text(const Answer& answer);

}  // namespace plumbline
