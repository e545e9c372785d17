/// Which names the files of an archive may have.
///
/// Names of others become paths: none may leave the folder that they are unpacked into, take the
/// place of another file, or be obeyed by a program that looks into that folder. Opens nothing.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace plumbline {

/// What is wrong with the name of a file, in words; "" if it is a plain path below a folder.
std::string name_mistake(std::string_view name);

/// The names of one archive.
class ArchiveNames {
 public:
  /// Why this name does not go with the earlier ones, as name_mistake(); "" if it does.
  std::string add(std::string_view name);

 private:
  std::set<std::string> files_, folders_;  // in small letters
};

}  // namespace plumbline
