/// NVIDIA's profilers and checkers: where they are, and the words that start a worker under them.
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
  std::string_view program;               // file that is looked for
  std::string_view extension;             // of the file that it writes
  int launches;                           // of the case, where the command line does not say
  std::string_view profile;               // of the worker
  std::vector<std::string_view> folders;  // beyond PATH; '*' is the rest of any name
  std::string_view install;               // what to install where it is missing
};

std::span<const Tool> tools();
/// Throws Error naming the tools that there are.
const Tool& tool_named(std::string_view name);

/// Throws Error naming `flag` for what is none of kSanitizerTools.
void require_check(std::string_view flag, std::string_view check);

/// The program's path: in `path_variable` ($PATH), then in the tool's folders, of several the last
/// by name. Throws Error with where it was looked for and what to install.
std::string find_tool(const Tool& tool, const std::string& path_variable);
std::string find_tool(const Tool& tool);

/// A tool, what it is told and where it writes.
struct ToolCall {
  std::string program;            // path
  std::string output;             // file that it writes
  std::string check;              // sanitizer only: of kSanitizerTools
  std::vector<std::string> more;  // further flags of the user
};

/// The words that stand before those of the worker. Only launches of the case itself are captured:
/// they are the NVTX range `launches` of the domain `plumbline`.
std::vector<std::string> tool_words(const Tool& tool, const ToolCall& call);

/// What a tool's talk means, where it is a known obstacle: "" where it is none.
std::string known_obstacle(std::string_view talk);

}  // namespace plumbline
