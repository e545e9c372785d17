/// A suite in Python: a file with functions that `@plumbline_gpu.case` declares.
///
/// Starts a Python that imports the file and writes the suite; suite/ reads the result.
#pragma once

#include <string>
#include <vector>

#include "suite/yaml/yaml.h"
#include "workflow/setup/worker_program.h"

namespace plumbline {

/// Whether the path names such a file: it ends in .py.
bool is_python_suite(const std::string& path);

/// The suite that the file declares, under the file's own path. `set`: AXIS=VALUE,… for its axes.
/// The suite is written once for the same content of the file, and leaves no files behind.
/// `sandbox`: in which the file runs, if in one. Throws Error with file and line for mistakes in
/// it, and if there is no Python with torch.
YamlFile written_suite(const std::string& path, const std::vector<std::string>& set,
                       const HostPython& python, const std::optional<Sandbox>& sandbox = {});

/// The folder of this program's package plumbline_gpu. Throws Error if it does not exist.
std::string package_folder();

}  // namespace plumbline
