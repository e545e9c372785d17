#include "workflow/judge/code_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "analysis/code/compared_code.h"
#include "analysis/confirm/equal_code.h"
#include "core/error.h"
#include "core/words.h"
#include "store/recorded/changed_code.h"
#include "workflow/machine/disassembler.h"
#include "workflow/setup/linked_libraries.h"
#include "workflow/setup/project.h"
#include "workflow/setup/python_environment.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// A file takes nvdisasm 0.1 to 0.4 s, and a page shows every diff.
constexpr std::size_t kMostShown = 50;

std::string folder_of(const Run& run) { return run.path + "/code"; }

/// By hash. The present worker may have kept code for one architecture only.
std::map<std::string, std::string> files_in(const std::string& folder) {
  std::map<std::string, std::string> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".bin")) files.emplace(name.substr(0, name.find('.')), entry.path());
  }
  return files;
}

/// Folders of Python's packages that the sides' workers use.
std::vector<std::string> packages_of(const std::array<const Side*, 2>& sides) {
  std::vector<std::string> folders;
  const auto add_prefix = [&](const fs::path& prefix) {
    for (const fs::path& folder : package_folders(prefix)) folders.push_back(folder.string());
  };
  for (const Side* const side : sides) {
    for (fs::path folder : linked_libraries(side->worker.path()).folders)
      for (; folder.has_relative_path(); folder = folder.parent_path())
        if (folder.filename() == "site-packages" || folder.filename() == "dist-packages")
          folders.push_back(folder.string());
    const EnvironmentVariables& variables = side->worker.variables();
    if (const auto python = variables.find("PLUMBLINE_PYTHON"); python != variables.end())
      add_prefix(fs::path(python->second).parent_path().parent_path());
  }
  if (const char* const python = std::getenv("PLUMBLINE_PYTHON"))
    add_prefix(fs::path(python).parent_path().parent_path());
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* const prefix = std::getenv(name)) add_prefix(prefix);
  add_prefix(fs::path(program_folder()).parent_path());
  return folders;
}

/// Disassembles each file once.
class CodeReader {
 public:
  CodeReader(std::string nvdisasm, const std::array<Run, 2>& runs)
      : nvdisasm_(std::move(nvdisasm)) {
    for (std::size_t i = 0; i < runs.size(); ++i) files_[i] = files_in(folder_of(runs[i]));
  }

  const Disassembled& read(std::size_t side, const std::string& hash) {
    const auto file = files_[side].find(hash);
    const std::string path = file == files_[side].end() ? "" : file->second;
    const auto [place, is_new] = read_.try_emplace(path);
    if (is_new && is_late_)
      place->second.failure = "nvdisasm was too slow with another kernel";
    else if (is_new)
      place->second = disassembled(nvdisasm_, path);
    is_late_ = is_late_ || place->second.is_late;
    return place->second;
  }

 private:
  std::string nvdisasm_;
  bool is_late_ = false;
  std::array<std::map<std::string, std::string>, 2> files_;
  std::map<std::string, Disassembled> read_;
};

void add_instructions(CodeReader& reader, std::vector<CodeChange>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CodeChange& change = changes[i];
    if (i >= kMostShown) {
      change.unknown = fmt::format("only the first {} kernels are disassembled", kMostShown);
      continue;
    }
    const Disassembled &before = reader.read(0, change.before.hash),
                       &after = reader.read(1, change.after.hash);
    change.unknown = before.failure.empty() ? after.failure : before.failure;
    if (change.unknown.empty()) compare_code_texts(before.text, after.text, change);
  }
}

/// Removes the files of code that no change names, and the folder if it is then empty.
void remove_others(const std::string& folder, const std::set<std::string>& hashes) {
  std::error_code none;
  for (const auto& [hash, path] : files_in(folder))
    if (!hashes.contains(hash)) fs::remove(path, none);
  for (const auto& entry : fs::directory_iterator(folder, none))  // of workers that were killed
    if (entry.path().filename().string().find(".bin.") != std::string::npos)
      fs::remove(entry.path(), none);
  fs::remove(folder, none);
}

void remove_unneeded(const std::array<Run, 2>& runs, const std::vector<CodeChange>& changes) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::set<std::string> needed;
    for (const CodeChange& change : changes)
      needed.insert(i == 0 ? change.before.hash : change.after.hash);
    remove_others(folder_of(runs[i]), needed);
  }
}

void find_changes(const std::array<Run, 2>& runs, const std::array<const Side*, 2>& sides,
                  Comparison& comparison) {
  comparison.code_changes = changed_code(comparison, runs[0], runs[1]);
  std::vector<CodeChange>& changes = comparison.code_changes;
  remove_unneeded(runs, changes);
  if (changes.empty()) return;
  std::string nvdisasm, why;
  try {
    nvdisasm = find_nvdisasm(packages_of(sides));
    why = "there is no nvdisasm";
  } catch (const Error& error) {
    why = error.what();
  }
  if (!nvdisasm.empty()) {
    CodeReader reader(nvdisasm, runs);
    return add_instructions(reader, changes);
  }
  for (CodeChange& change : changes) change.unknown = why;
  comparison.notes.push_back(fmt::format(
      "The machine code of {} changed, and Plumbline cannot show how: {}. nvdisasm is part of "
      "the CUDA toolkit and of the Python package triton; $PLUMBLINE_NVDISASM names one that is "
      "elsewhere.",
      counted(changes.size(), "kernel"), why));
}

}  // namespace

void add_code_changes(const std::array<Run, 2>& runs, const std::array<const Side*, 2>& sides,
                      Comparison& comparison) try {
  // Of a check, pairs have only the cases in doubt, which are not representative.
  if (comparison.is_ab)
    if (std::string controls = equal_code_text(comparison, cases_of_equal_code(runs[0], runs[1]));
        !controls.empty())
      comparison.notes.push_back(std::move(controls));
  find_changes(runs, sides, comparison);
} catch (const std::exception& error) {
  comparison.notes.push_back(
      fmt::format("Changes of machine code could not be looked at: {}.", error.what()));
}

}  // namespace plumbline
