/// The process that keeps a GPU's SM clock locked during a run, at the user's request.
///
/// The keeper restores the clock when its input ends. The kernel closes that input however this
/// process ends. Knows no NVML.
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
  std::string device_uuid;             // device of the DeviceLock that this run holds
  std::string folder = lock_folder();  // holds the marker of locked clocks
  double start_timeout_s = 300;        // loading the libraries from a cold disk
  double finish_timeout_s = 30;
};

class ClockKeeper {
 public:
  /// Returns when the clock is locked. Throws Error with the keeper's message if it cannot be
  /// locked.
  explicit ClockKeeper(const KeeperCommand& command);
  /// Restores the clock; see release().
  ~ClockKeeper();
  ClockKeeper(const ClockKeeper&) = delete;
  ClockKeeper& operator=(const ClockKeeper&) = delete;

  /// SM clock that the driver reported after locking, in hertz; nothing if it reports none.
  std::optional<double> observed_hz() const { return observed_hz_; }
  /// Who had left the clock locked, in words; "" if nobody. The keeper restores that too.
  const std::string& left_behind() const { return left_behind_; }
  /// Restores the clock and waits for it. Returns "", or what went wrong and what to do.
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

/// Who left the clock of a GPU locked, in words; nothing if nobody did or a keeper still runs.
std::optional<std::string> clock_left_locked(const std::string& device_uuid,
                                             const std::string& folder = lock_folder());

}  // namespace plumbline
