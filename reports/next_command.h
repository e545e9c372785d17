/// The commands that page and terminal propose after a comparison, as they can be typed.
#pragma once

#include <string>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// Both sides are one run: no case can differ.
bool is_same_run(const Comparison& comparison);

/// `plumbline accept RUN`: "" where that would be refused, both sides are the same run, or were
/// measured for this comparison alone.
std::string accept_command(const Comparison& comparison);

/// `plumbline check suites/quick.yaml --baseline-ref 1a2b3c4d5e`: both sides in pairs; "" where the
/// baseline's commit or the suite is not recorded.
std::string pairs_command(const Comparison& comparison);

/// `plumbline check suites/quick.yaml --rerun --baseline PATH`, for a baseline whose commit is not
/// known; "" where its path or the suite is not recorded.
std::string rerun_command(const Comparison& comparison);

}  // namespace plumbline
