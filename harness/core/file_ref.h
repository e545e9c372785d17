/// A file as results name it.
#pragma once

#include <string>

namespace plumbline {

/// A file and the hash of its bytes.
struct FileRef {
  std::string path, hash;
  bool operator==(const FileRef&) const = default;
};

}  // namespace plumbline
