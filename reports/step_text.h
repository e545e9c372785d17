/// What a step of a program gained or lost, in words: the same on the page and in the terminal.
///
/// Contains no markup: whoever shows these texts escapes them.
#pragma once

#include <string>

#include "analysis/causes/step_times.h"

namespace plumbline {

/// `decode step`; for a phase `backward`.
std::string step_name(const StepTime& step);

/// `+0.8 % ± 0.2 %`; without the interval if it is unknown.
std::string step_change_text(const StepTime& step);

/// `71 % of it in aten::mm/libtorch/…`: the largest change. "" if the step did not change.
std::string largest_part_text(const StepTime& step);

/// `decode step +0.8 % ± 0.2 %, 71 % of it in aten::mm/libtorch/…`.
std::string step_sentence(const StepTime& step);

/// `41 cases take 1.94 ms: 93 % of the 2.09 ms that the program took for a step`, and the cases
/// without a time.
std::string coverage_sentence(const StepTime& step);

}  // namespace plumbline
