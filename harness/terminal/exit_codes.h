/// The exit codes of programs.
#pragma once

#include <functional>
#include <string_view>

namespace plumbline {

inline constexpr int kExitOk = 0, kExitRegression = 1, kExitInput = 2, kExitNotJudged = 3;
/// Added to the number of the signal that ended it.
inline constexpr int kExitSignal = 128;

/// Runs a program and returns its exit code. Prints exceptions: they give kExitInput, and
/// kExitNotJudged for a replaced worker. This is the whole of main.
int run_program(std::string_view name, const std::function<int()>& program);

}  // namespace plumbline
