/// One run per device: a lock on a file per device UUID, which says who holds it.
///
/// The kernel lets go of the lock when its holder ends, however it ends. Knows no devices: a UUID
/// is a text.
#pragma once

#include <optional>
#include <string>

#include "schedule/process/child_process.h"

namespace plumbline {

/// Folder of the locks: $PLUMBLINE_LOCKS, else /tmp/plumbline-locks, which all users of a machine
/// share as they share its devices.
std::string lock_folder();

class DeviceLock {
 public:
  /// Takes the lock and writes `holder` into it, the words for who that is: "'plumbline run …'
  /// (process 123, since …)". Throws Error with the holder's words where it is taken, and with the
  /// path where the folder cannot be used.
  DeviceLock(const std::string& device_uuid, const std::string& holder,
             const std::string& folder = lock_folder());
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Descriptor file_;
};

/// The words of who holds the lock of a device; nothing where it is free.
std::optional<std::string> lock_holder(const std::string& device_uuid,
                                       const std::string& folder = lock_folder());

}  // namespace plumbline
