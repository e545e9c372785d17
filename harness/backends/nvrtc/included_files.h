/// The files that a CUDA source includes, found by reading it: NVRTC does not tell.
///
/// The answer may have more files than the compiler reads, because preprocessor conditions are not
/// evaluated. A missing file would be worse: a cache could return an outdated kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plumbline::nvrtc {

/// Sorted paths of all files that `text`, which lies at `path`, may include from its own folder and
/// from `folders`, directly or indirectly. Headers outside these folders are left out. nullopt if
/// the includes are unclear: a macro gives the name of an include, or a line may be an include in a
/// form that is not read here (after a comment, with `%:`, `__has_include`).
std::optional<std::vector<std::string>> included_files(const std::string& path,
                                                       const std::string& text,
                                                       const std::vector<std::string>& folders);

}  // namespace plumbline::nvrtc
