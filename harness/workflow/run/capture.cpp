#include "workflow/run/capture.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "store/file.h"
#include "workflow/run/foreground.h"
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
  const bool is_file = fs::is_regular_file(path);  // a pipe would be waited for
  if (!is_file || read_text(path).starts_with(kFirstWords)) return;
  throw Error(path + " is there, and is no suite that capture wrote; name another file with -o");
}

/// The file of inputs, beside the suite.
fs::path inputs_of(const CaptureRequest& request) {
  return fs::path(request.output).replace_extension(".safetensors");
}

/// Somebody else's file is not overwritten.
void check_inputs(const CaptureRequest& request) {
  if (request.inputs_bytes == 0) return;
  if (fs::exists(request.output) && !fs::is_regular_file(request.output))
    throw Error(request.output + " is no file; the inputs lie beside the suite: name it with -o");
  if (fs::path(request.output).extension() == ".safetensors")
    throw Error(request.output + " is the name of the inputs' file; name the suite x.yaml with -o");
  const fs::path inputs = inputs_of(request);
  const std::string use = "file('" + inputs.filename().string() + "'";
  const bool is_ours =
      fs::exists(request.output) && read_text(request.output).find(use) != std::string::npos;
  if (fs::exists(inputs) && !is_ours)
    throw Error(inputs.string() + " is there, and no suite that capture wrote to " +
                request.output + " uses it; name another suite with -o");
}

/// Makes Python programs that are started from now on record into `folder`.
void set_up(const fs::path& recorder, const std::string& folder, const CaptureRequest& request) {
  const char* const before = std::getenv("PYTHONPATH");
  const std::string path = recorder.string() + (before && *before ? ":" + std::string(before) : "");
  setenv("PYTHONPATH", path.c_str(), /*overwrite=*/1);
  setenv("PLUMBLINE_CAPTURE", folder.c_str(), /*overwrite=*/1);
  setenv("PLUMBLINE_CAPTURE_STEPS", std::to_string(request.steps).c_str(), /*overwrite=*/1);
  setenv("PLUMBLINE_CAPTURE_INPUTS", std::to_string(request.inputs_bytes).c_str(), 1);
  setenv("PLUMBLINE_CAPTURE_FILE", inputs_of(request).filename().c_str(), 1);
}

/// The suite of the process with the most calls: the number of calls is in the file name.
fs::path largest_suite(const std::string& folder) {
  fs::path largest;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") largest = std::max(largest, entry.path());
  return largest;
}

/// Puts the inputs beside the suite, whole or not at all. The folders may be on two file systems.
void keep_inputs(const fs::path& recorded, const fs::path& kept) {
  const fs::path temporary = kept.string() + "." + std::to_string(getpid());
  try {
    fs::copy_file(recorded, temporary, fs::copy_options::overwrite_existing);
    fs::rename(temporary, kept);
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw Error("cannot write " + kept.string() + ": " + error.code().message());
  }
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
  check_inputs(request);
  const fs::path recorder = recorder_folder();
  const ScratchFolder folder;
  set_up(recorder, folder.path(), request);
  CaptureOutcome outcome{.end = run_in_foreground(request.program)};
  const fs::path suite = largest_suite(folder.path());
  if (suite.empty()) return outcome;
  const std::string text = read_text(suite.string());
  const fs::path inputs = fs::path(suite).replace_extension(".safetensors");
  if (fs::exists(inputs)) {
    outcome.inputs = inputs_of(request).string();
    keep_inputs(inputs, outcome.inputs);
  }
  write_atomically(request.output, text);
  outcome.is_written = true;
  outcome.head = comment_lines(text);
  return outcome;
}

}  // namespace plumbline
