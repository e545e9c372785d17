/// A file and its hash, as results record them.
#pragma once

#include <string>

namespace plumbline {

struct FileRef {
  std::string path, hash;
  bool operator==(const FileRef&) const = default;
};

}  // namespace plumbline
