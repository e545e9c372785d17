/// A suite in Python: a file whose functions `@plumbline_gpu.case` declares.
///
/// Starts a Python that imports the file and writes the suite; what the suite says is suite/'s.
#pragma once

#include <string>
#include <vector>

#include "suite/yaml/yaml.h"
#include "workflow/setup/worker_program.h"

namespace plumbline {

/// Whether the path names such a file: it ends in .py.
bool is_python_suite(const std::string& path);

/// The suite that the file declares, known by the file's own path. `set`: AXIS=VALUE,…, of the axes
/// that it has. It is written once for the same content of the file, and nothing is left beside it.
/// Throws Error with file and line for mistakes in it, and where there is no Python with torch.
YamlFile written_suite(const std::string& path, const std::vector<std::string>& set,
                       const HostPython& python);

/// The package plumbline_gpu of this program, a folder. Throws Error where it is not there.
std::string package_folder();

}  // namespace plumbline
