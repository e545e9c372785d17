/// A folder in which what is removed waits to be deleted: it goes there in one step, so that a
/// command that is killed leaves nothing half removed. The next one finishes the work.
///
/// Moves and deletes; what may go is said by others.
#pragma once

#include <string>

#include "schedule/process/child_process.h"

namespace plumbline {

class Trash {
 public:
  /// In `root`, with links resolved. One command at a time: throws Error where another one cleans
  /// that folder, and where the trash is no folder of ours.
  explicit Trash(const std::string& root);

  /// Moves a folder of the root here. Throws Error; the folder is then as it was.
  void take(const std::string& folder);

  /// Deletes what is here. Checkouts are first taken out of the repositories that list them.
  /// Throws Error where something cannot be deleted; the rest is.
  void empty();

 private:
  std::string root_, path_;
  Descriptor lock_;
};

/// Whether an interrupted command left something in the trash of `root`.
bool has_trash(const std::string& root);

}  // namespace plumbline
