#include "workflow/run/capture.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "store/file.h"
#include "workflow/scratch_folder.h"
#include "workflow/setup/python_suite.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstWords = "# Operators of ";  // capture/suite.py writes them

fs::path recorder_folder() {
  fs::path folder = fs::path(package_folder()) / "capture" / "site";
  if (!fs::exists(folder / "sitecustomize.py"))
    throw Error("the recorder is missing: found no " + folder.string() +
                "; pip install plumbline-gpu brings it");
  return folder;
}

void check_output(const std::string& path) {
  if (!fs::exists(path) || read_text(path).starts_with(kFirstWords)) return;
  throw Error(path + " is there, and is no suite that capture wrote; name another file with -o");
}

/// Makes Python programs that are started from now on record into `folder`.
void set_up(const fs::path& recorder, const std::string& folder, std::int64_t steps) {
  const char* const before = std::getenv("PYTHONPATH");
  const std::string path = recorder.string() + (before && *before ? ":" + std::string(before) : "");
  setenv("PYTHONPATH", path.c_str(), /*overwrite=*/1);
  setenv("PLUMBLINE_CAPTURE", folder.c_str(), /*overwrite=*/1);
  setenv("PLUMBLINE_CAPTURE_STEPS", std::to_string(steps).c_str(), /*overwrite=*/1);
}

/// Gives the program the terminal: Ctrl-C goes to the program, and we wait for its end.
ProcessEnd run_in_foreground(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawnattr_t usual;
  posix_spawnattr_init(&usual);
  sigset_t interrupts;
  sigemptyset(&interrupts);
  for (const int signal : {SIGINT, SIGQUIT}) sigaddset(&interrupts, signal);
  posix_spawnattr_setsigdefault(&usual, &interrupts);
  posix_spawnattr_setflags(&usual, POSIX_SPAWN_SETSIGDEF);
  for (const int signal : {SIGINT, SIGQUIT}) std::signal(signal, SIG_IGN);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], nullptr, &usual, argv.data(), environ);
  posix_spawnattr_destroy(&usual);
  if (error != 0) throw Error("cannot start '" + words[0] + "': " + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.exit_code = WEXITSTATUS(status)};
}

/// The suite of the process with the most calls: the number of calls is in the file name.
fs::path largest_suite(const std::string& folder) {
  fs::path largest;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") largest = std::max(largest, entry.path());
  return largest;
}

std::vector<std::string> comment_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line) && line.starts_with('#');)
    lines.push_back(line.substr(std::min<std::size_t>(2, line.size())));
  return lines;
}

}  // namespace

CaptureOutcome capture(const CaptureRequest& request) {
  check_output(request.output);
  const fs::path recorder = recorder_folder();
  const ScratchFolder folder;
  set_up(recorder, folder.path(), request.steps);
  CaptureOutcome outcome{.end = run_in_foreground(request.program)};
  const fs::path suite = largest_suite(folder.path());
  if (suite.empty()) return outcome;
  const std::string text = read_text(suite.string());
  write_atomically(request.output, text);
  outcome.is_written = true;
  outcome.head = comment_lines(text);
  return outcome;
}

}  // namespace plumbline
