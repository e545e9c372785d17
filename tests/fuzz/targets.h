/// Everything that reads files and messages of others, one target for each kind.
///
/// An input is what a stranger may give: a target reads it as the product does. fuzzer.cpp and
/// replay.cpp give the inputs.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::fuzz {

/// How a part of an input is written, for what changes it (mutation/mutation.h).
enum class Grammar { none, bytes, yaml, json, csv };

struct Target {
  std::string_view name;  // also of its folder in corpus/
  /// Reads the input; `folder` is for files that the reader opens. Throws Error if the reader
  /// refuses the input. Any other exception is a fault.
  void (*read)(std::string_view input, const std::string& folder);
  std::array<Grammar, 3> grammars{};  // of its parts, in their order; none: no grammar, or no part
};

std::span<const Target> suite_targets();
std::span<const Target> suite_file_targets();
std::span<const Target> run_targets();
std::span<const Target> verdict_targets();
std::span<const Target> import_targets();
std::span<const Target> message_targets();
std::span<const Target> code_targets();
std::span<const Target> bundle_targets();

/// All of the above.
std::vector<Target> targets();

/// `count` parts of an input, which `between` separates; those that it lacks are empty.
std::vector<std::string> parts(std::string_view input, std::size_t count,
                               std::string_view between = "=====\n");

/// Writes folder/name, and makes the folders of `name`. Returns the path.
std::string written(const std::string& folder, const std::string& name, std::string_view text);

/// Ends the program with a message if a reader did not hold what its header promises.
void demand(bool holds, std::string_view promise);

}  // namespace plumbline::fuzz
