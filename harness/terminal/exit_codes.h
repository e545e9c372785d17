/// What a program tells by its exit code.
#pragma once

#include <functional>
#include <string_view>

namespace plumbline {

inline constexpr int kExitOk = 0, kExitRegression = 1, kExitInput = 2, kExitNotJudged = 3;
/// A signal ended it: this and its number.
inline constexpr int kExitSignal = 128;

/// Runs a program and gives its exit code: kExitInput where it throws, kExitNotJudged where a
/// worker was replaced; both are told. All that main does.
int run_program(std::string_view name, const std::function<int()>& program);

}  // namespace plumbline
