/// One run per device: a lock on a file per device UUID; the file says who holds it.
///
/// The kernel releases the lock however the holder ends. Knows no devices: a UUID is a text.
#pragma once

#include <optional>
#include <string>

#include "schedule/process/child_process.h"

namespace plumbline {

/// Folder of the locks: $PLUMBLINE_LOCKS, else /tmp/plumbline-locks. All users of a machine share
/// it, because they share its devices.
std::string lock_folder();

class DeviceLock {
 public:
  /// Takes the lock and writes `holder` into it: "'plumbline run …' (process 123, since …)". Throws
  /// Error with the holder's words if the lock is taken, and with the path if the folder cannot be
  /// used.
  DeviceLock(const std::string& device_uuid, const std::string& holder,
             const std::string& folder = lock_folder());
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Descriptor file_;
};

/// Who holds the lock of a device, in words; nothing if it is free.
std::optional<std::string> lock_holder(const std::string& device_uuid,
                                       const std::string& folder = lock_folder());

}  // namespace plumbline
