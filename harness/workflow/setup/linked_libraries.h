/// Which libraries a program links, and where they are, as its file says (ld.so(8): RPATH and
/// RUNPATH).
///
/// Reads ELF files; starts nothing.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

struct LinkedLibraries {
  /// In which the loader looks. Only folders that hold a library.
  std::vector<std::string> folders;
  /// File names, such as libcudnn.so.9: of the program, and of every library found in `folders`.
  std::vector<std::string> names;
};

/// Both are empty for a script.
LinkedLibraries linked_libraries(const std::string& program);

}  // namespace plumbline
