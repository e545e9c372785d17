/// The files that the text of a suite names.
///
/// Reads the text alone: the files need not exist. What arguments and shapes read is not among
/// them: a run records it.
#pragma once

#include <string>
#include <vector>

#include "suite/yaml/yaml.h"

namespace plumbline {

/// Values of the keys that name a file of code or its description (source, library, metadata, …),
/// as written: paths from the suite's folder. Each once, in the order of the file. Throws Error for
/// bad YAML.
std::vector<std::string> named_files(const YamlFile& suite);

}  // namespace plumbline
