/// NVIDIA's profilers and checkers: where they are, and how to run a worker under them.
///
/// Starts nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct Tool {
  std::string_view name;                  // --tool
  std::string_view program;               // file to search for
  std::string_view extension;             // of its output file
  int launches;                           // of the case, unless the command line says otherwise
  std::string_view profile;               // the worker's profile
  std::vector<std::string_view> folders;  // besides PATH; '*' matches the rest of a name
  std::string_view install;               // what to install if it is missing
};

std::span<const Tool> tools();
/// Throws Error that names the known tools.
const Tool& tool_named(std::string_view name);

/// Throws Error that names `flag` if `check` is not in kSanitizerTools.
void require_check(std::string_view flag, std::string_view check);

/// The program's path: from `path_variable` ($PATH), else from the tool's folders (the last by name
/// if several match). Throws Error that says where it was searched for and what to install.
std::string find_tool(const Tool& tool, const std::string& path_variable);
std::string find_tool(const Tool& tool);

/// A tool with its options and output file.
struct ToolCall {
  std::string program;            // path
  std::string output;             // its output file
  std::string check;              // sanitizer only: one of kSanitizerTools
  std::vector<std::string> more;  // the user's additional flags
};

/// The words before those of the worker. Only launches of the case itself are captured: they are in
/// the NVTX range `launches` of the domain `plumbline`.
std::vector<std::string> tool_words(const Tool& tool, const ToolCall& call);

/// What the tool's output means if it shows a known obstacle, else "".
std::string known_obstacle(std::string_view talk);

}  // namespace plumbline
