/// The commands that page and terminal propose after a comparison, ready to type.
#pragma once

#include <string>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// True if both sides are the same run: no case can differ.
bool is_same_run(const Comparison& comparison);

/// `plumbline accept RUN`; "" if it would be refused, if both sides are the same run, or if they
/// were measured for this comparison only.
std::string accept_command(const Comparison& comparison);

/// `plumbline check suites/quick.yaml --baseline-ref 1a2b3c4d5e`: the cases in doubt in pairs; or
/// `plumbline ab 1a2b3c4d5e . suites/quick.yaml`: all cases, where none is in doubt. "" if the
/// baseline's commit or the suite is not recorded.
std::string pairs_command(const Comparison& comparison);

/// `git log --oneline 1a2b3c4d5e6f..6f5e4d3c2b1a`: the commits between the sides; or
/// `git diff --stat 1a2b3c4d5e6f` if the candidate's files differ from its commit. "" if a commit
/// is not recorded, if the baseline's files differ from it, or if the sides do not differ.
std::string difference_command(const Comparison& comparison);

/// `plumbline check suites/quick.yaml --rerun --baseline PATH`, for a baseline with an unknown
/// commit; "" if its path or the suite is not recorded.
std::string rerun_command(const Comparison& comparison);

}  // namespace plumbline
