#include "workflow/run/tool.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "core/error.h"
#include "core/sanitizer.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Exit code of compute-sanitizer if it found something and the worker ended well.
constexpr const char* kFindingsExitCode = "86";

bool is_program(const fs::path& path) {
  std::error_code none;
  const auto status = fs::status(path, none);
  return fs::is_regular_file(status) &&
         (status.permissions() & (fs::perms::owner_exec | fs::perms::group_exec |
                                  fs::perms::others_exec)) != fs::perms::none;
}

/// The folders that match a pattern, last name first: newer versions have later names.
std::vector<fs::path> folders_of(std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return {fs::path(pattern)};
  const fs::path begin(pattern.substr(0, star));
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(begin.parent_path(), none))
    if (entry.path().string().starts_with(begin.string())) names.push_back(entry.path().string());
  std::ranges::sort(names, std::greater{});
  std::vector<fs::path> folders;
  for (const std::string& name : names)
    folders.emplace_back(name + std::string(pattern.substr(star + 1)));
  return folders;
}

/// A path as the tools expect it: '%' begins a placeholder, and "%%" is a single '%'.
std::string literal(const std::string& path) {
  std::string text;
  for (const char c : path) text += c == '%' ? "%%" : std::string(1, c);
  return text;
}

std::vector<std::string> ncu_words(const ToolCall& call) {
  // `]`: the innermost range of its thread. ncu controls clocks and caches.
  return {call.program,
          "--target-processes",
          "all",
          "--nvtx",
          "--nvtx-include",
          "plumbline@launches]",
          "--set",
          "full",
          "--import-source",
          "yes",
          "--force-overwrite",
          "--export",
          literal(call.output)};
}

std::vector<std::string> nsys_words(const ToolCall& call) {
  // Ranges are recognised by their text; nsys needs a setting for that.
  return {call.program,
          "profile",
          "--trace=cuda,nvtx,cublas,cudnn",
          "--sample=none",
          "--cpuctxsw=none",
          "--capture-range=nvtx",
          "--nvtx-capture=launches@plumbline",
          "--capture-range-end=stop",
          "--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0",
          "--force-overwrite=true",
          "--output=" + literal(call.output)};
}

std::vector<std::string> sanitizer_words(const ToolCall& call) {
  std::vector<std::string> words{call.program,
                                 "--tool",
                                 call.check,
                                 "--log-file",
                                 literal(call.output),
                                 "--target-processes",
                                 "all",
                                 "--error-exitcode",
                                 kFindingsExitCode,
                                 "--print-limit",
                                 "100"};
  // Padding after each allocation, so that a write past one does not hit the next. The worker
  // judges calls that fail: libraries make some on purpose.
  if (call.check == "memcheck")
    words.insert(words.end(), {"--padding", "4096", "--report-api-errors", "no"});
  return words;
}

}  // namespace

std::span<const Tool> tools() {
  static const std::array kTools = std::to_array<Tool>({
      {"ncu",
       "ncu",
       ".ncu-rep",
       1,
       "stock",
       {"/usr/local/cuda/bin", "/opt/nvidia/nsight-compute/*", "/usr/local/NVIDIA-Nsight-Compute*"},
       "Nsight Compute (package nsight-compute-* of NVIDIA's repository, or the CUDA toolkit)"},
      {"nsys",
       "nsys",
       ".nsys-rep",
       20,
       "stock",
       {"/usr/local/cuda/bin", "/opt/nvidia/nsight-systems/*/bin", "/usr/local/bin"},
       "Nsight Systems (package nsight-systems-cli of NVIDIA's repository, or the CUDA toolkit)"},
      {"sanitizer",
       "compute-sanitizer",
       ".txt",
       3,
       "sanitizer",
       {"/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"},
       "Compute Sanitizer (package cuda-sanitizer-* of NVIDIA's repository, the CUDA toolkit, or "
       "`pip install nvidia-cuda-sanitizer-api`, 13.2 or later, with its nvidia/cu13/bin in PATH)"},
  });
  return kTools;
}

const Tool& tool_named(std::string_view name) {
  const auto found = std::ranges::find(tools(), name, &Tool::name);
  if (found != tools().end()) return *found;
  std::string known;
  for (const Tool& tool : tools()) known += (known.empty() ? "" : ", ") + std::string(tool.name);
  throw Error("--tool " + std::string(name) + ": there is no such tool; there are: " + known);
}

std::string find_tool(const Tool& tool, const std::string& path_variable) {
  for (std::string_view left = path_variable; !left.empty();) {
    const auto end = std::min(left.find(':'), left.size());
    const fs::path path = fs::path(left.substr(0, end)) / tool.program;
    if (end > 0 && is_program(path)) return fs::absolute(path).string();
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  std::string looked = "PATH";
  for (const std::string_view pattern : tool.folders) {
    for (const fs::path& folder : folders_of(pattern))
      if (is_program(folder / tool.program)) return (folder / tool.program).string();
    looked += ", " + std::string(pattern);
  }
  throw Error("the program '" + std::string(tool.program) + "' is missing; it was looked for in " +
              looked + "; install " + std::string(tool.install));
}

std::string find_tool(const Tool& tool) {
  const char* const path = std::getenv("PATH");
  return find_tool(tool, path ? path : "");
}

void require_check(std::string_view flag, std::string_view check) {
  if (std::ranges::find(kSanitizerTools, check) != kSanitizerTools.end()) return;
  std::string known;
  for (const std::string_view name : kSanitizerTools)
    known += (known.empty() ? "" : ", ") + std::string(name);
  throw Error(std::string(flag) + " " + std::string(check) +
              ": there is no such tool; there are: " + known);
}

std::vector<std::string> tool_words(const Tool& tool, const ToolCall& call) {
  std::vector<std::string> words = tool.name == "ncu"    ? ncu_words(call)
                                   : tool.name == "nsys" ? nsys_words(call)
                                                         : sanitizer_words(call);
  words.insert(words.end(), call.more.begin(), call.more.end());
  return words;
}

std::string known_obstacle(std::string_view talk) {
  if (talk.find("ERR_NVGPUCTRPERM") != std::string_view::npos)
    return "this user may not read the GPU's performance counters (ERR_NVGPUCTRPERM): the driver "
           "allows it to root, to processes with CAP_SYS_ADMIN (in a container: --cap-add "
           "SYS_ADMIN), and to all once its module is loaded with "
           "NVreg_RestrictProfilingToAdminUsers=0";
  if (talk.find("No kernels were profiled") != std::string_view::npos)
    return "the tool saw no kernel of the case: it launches none, or not on a GPU";
  return "";
}

}  // namespace plumbline
