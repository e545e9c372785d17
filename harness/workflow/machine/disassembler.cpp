#include "workflow/machine/disassembler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "schedule/process/child_process.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "nvdisasm";
constexpr const char* kVariable = "PLUMBLINE_NVDISASM";
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 20;  // 65,536 instructions
constexpr std::size_t kQuoted = 200;

bool is_program(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
}

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

/// "SM90a" for x.sm_90a.bin; "" for other names.
std::string architecture_in(const std::string& path) {
  const std::string middle = fs::path(path).stem().extension().string();  // .sm_90a
  constexpr std::string_view kPrefix = ".sm_";
  return middle.starts_with(kPrefix) ? "SM" + middle.substr(kPrefix.size()) : "";
}

/// The last line that says anything: warnings stand before errors.
std::string last_line(const std::string& text) {
  std::string last;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  std::erase_if(last, [](unsigned char c) { return std::iscntrl(c) != 0; });
  return last.substr(0, kQuoted);
}

Disassembled failed(std::string why) { return {"", std::move(why), false}; }

}  // namespace

std::string find_nvdisasm(std::span<const std::string> packages) {
  if (const std::string named = variable(kVariable); !named.empty()) {
    if (is_program(named)) return named;
    throw Error(fmt::format("${} names '{}', which is no program", kVariable, named));
  }
  std::vector<fs::path> places;
  std::stringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (folder.starts_with('/')) places.push_back(fs::path(folder) / kName);
  if (const std::string toolkit = variable("CUDA_HOME"); !toolkit.empty())
    places.push_back(fs::path(toolkit) / "bin" / kName);
  places.push_back(fs::path("/usr/local/cuda/bin") / kName);
  for (const std::string& folder : packages)
    places.push_back(fs::path(folder) / "triton/backends/nvidia/bin" / kName);
  const auto found = std::ranges::find_if(places, is_program);
  return found == places.end() ? "" : found->string();
}

Disassembled disassembled(const std::string& nvdisasm, const std::string& path,
                          double timeout_s) try {
  const std::string architecture = architecture_in(path);
  std::error_code problem;
  const bool is_file = fs::is_regular_file(fs::symlink_status(path, problem));
  if (architecture.empty() || !is_file) return failed("its code was not kept");
  if (fs::file_size(path) > kMostBytes)
    return failed(fmt::format("it has more than {} instructions", kMostBytes / 16));
  ProgramOutput output = run_program({nvdisasm, "-b", architecture, path}, timeout_s);
  if (output.timed_out)
    return {"", fmt::format("{} did not end within {} s", nvdisasm, timeout_s), true};
  if (output.end.signal == 0 && output.end.exit_code == 0)
    return {std::move(output.out), "", false};
  const std::string said = last_line(output.err);
  return failed(
      fmt::format("{} {}{}", nvdisasm, output.end.words(), said.empty() ? "" : ": " + said));
} catch (const std::exception& error) {
  return failed(error.what());
}

}  // namespace plumbline
