/// The process that keeps a GPU's SM clock locked during a run, because the user asked for it.
///
/// Restoring does not hang on us: the keeper restores when its input ends, which the kernel sees to
/// however this process ends. Knows no NVML.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "schedule/device_lock.h"
#include "schedule/process/child_process.h"

namespace plumbline {

struct KeeperCommand {
  std::string worker;                  // program
  std::string clock;                   // base, or MHz
  std::string device_uuid;             // whose DeviceLock this run holds
  std::string folder = lock_folder();  // of the marker of locked clocks
  double start_timeout_s = 300;        // loading the libraries from a cold disk
  double finish_timeout_s = 30;
};

class ClockKeeper {
 public:
  /// Returns when the clock is locked. Throws Error with the keeper's words when it is not.
  explicit ClockKeeper(const KeeperCommand& command);
  /// Has the clock restored.
  ~ClockKeeper();
  ClockKeeper(const ClockKeeper&) = delete;
  ClockKeeper& operator=(const ClockKeeper&) = delete;

  /// SM clock that the driver told after locking, hertz; nothing where it does not tell.
  std::optional<double> observed_hz() const { return observed_hz_; }
  /// Whose lock was found left behind and is restored, in words; "" where there was none.
  const std::string& left_behind() const { return left_behind_; }
  /// Has the clock restored and waits for it; "", or what went wrong and what to do.
  std::string release();

 private:
  bool read_line(Deadline deadline, std::string& line);
  std::string restore_advice() const;

  KeeperCommand command_;
  Descriptor input_, output_;
  std::unique_ptr<ChildProcess> process_;
  std::string pending_;
  std::optional<double> observed_hz_;
  std::string left_behind_;
};

/// The words of who left the clock of a GPU locked; nothing where nobody did, or it is still kept.
std::optional<std::string> clock_left_locked(const std::string& device_uuid,
                                             const std::string& folder = lock_folder());

}  // namespace plumbline
