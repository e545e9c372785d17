/// `shapes:` of a suite: its own named lists, and those of the files that `from:` names.
///
/// Knows files of shapes, not ops or axes: a row is checked when an axis takes it.
#pragma once

#include <memory>
#include <vector>

#include "core/file_ref.h"
#include "suite/sweep/sweep.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

struct SuiteShapes {
  Shapes by_name;
  std::vector<FileRef> files;                    // absolute paths: what `from:` names, each once
  std::vector<std::unique_ptr<YamlFile>> texts;  // of these files; places of rows point into them
};

/// Reads the map `shapes:` of the file `suite`. Paths in `from:` begin at the folder of the file
/// that has them. Of a file that is read this way only `shapes:` counts; it may be a whole suite.
/// Throws Error for a file that cannot be read or has no `shapes:`, for files that read each other,
/// and for a name that is defined twice.
SuiteShapes read_shapes(const YamlNode& shapes, const YamlFile& suite);

}  // namespace plumbline
