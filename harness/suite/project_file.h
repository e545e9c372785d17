/// plumbline.yaml: where a project keeps its baselines and runs, and which worker measures it.
///
/// Says where things are, not what they are: nobody opens them here.
#pragma once

#include <string>

namespace plumbline {

struct ProjectFile {
  std::string baselines, runs, worker;  // absolute, or relative to the file's folder; "" = not said
};

/// Throws Error with the place for unknown keys and values that are no text.
ProjectFile read_project_file(const std::string& path);

}  // namespace plumbline
