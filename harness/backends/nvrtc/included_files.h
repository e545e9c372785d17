/// What a CUDA source includes, found by reading it: NVRTC does not tell.
///
/// More than the compiler would read, since conditions of the preprocessor are not evaluated; but
/// what is missing in the answer would let a cache give an outdated kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plumbline::nvrtc {

/// Paths of all files that `text`, which lies at `path`, may include from its folder and from
/// `folders`, directly or through others, sorted; headers that lie in none of them are left out.
/// Nothing where the name of an include comes from a macro, so that nobody can tell, or where a
/// line may be an include that is spelled in a way that is not read here: behind a comment, by
/// `%:`,
/// `__has_include`.
std::optional<std::vector<std::string>> included_files(const std::string& path,
                                                       const std::string& text,
                                                       const std::vector<std::string>& folders);

}  // namespace plumbline::nvrtc
