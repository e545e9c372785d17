/// plumbline.yaml: where a project keeps its suites, baselines and runs, which worker measures it,
/// and how it is built.
///
/// Only holds the paths; other code opens them.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

struct ProjectFile {
  std::string baselines, runs, worker;  // absolute, or relative to the file's folder; "" = not set
  std::vector<std::string> suites;      // the same: files, and folders of them
  std::string build;                    // a command for the shell, run in the file's folder
};

/// Throws Error with the place for unknown keys and values that are not text.
ProjectFile read_project_file(const std::string& path);

}  // namespace plumbline
