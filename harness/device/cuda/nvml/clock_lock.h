/// The SM clock of a GPU, locked during this object's lifetime and then returned to the driver.
///
/// Only made if the user asked for it. A marker file says that the clock is locked and by whom. Its
/// file lock ends with its process; its text is removed only when the clock is restored. So text
/// without a holder means a clock lock that was left behind, and the next ClockLock restores that
/// one first. The driver does not tell locks that others set before, so the driver's default is
/// restored. Knows NVML only through ClockControls.
#pragma once

#include <functional>
#include <string>

namespace plumbline::cuda {

class Nvml;

/// What a lock needs from a GPU. Tests replace it by a script.
struct ClockControls {
  std::function<std::string(unsigned mhz)> lock;  // "", or why it is refused; 0 MHz = base clock
  std::function<std::string()> unlock;            // the same
  std::function<double()> sm_clock_hz;            // NaN = unknown
  std::function<void(double seconds)> wait;
};

/// Controls of a real GPU; `nvml` must outlive them.
ClockControls clock_controls(Nvml& nvml);

/// Megahertz of "1500"; 0 for "base". Throws Error with the allowed values.
unsigned parse_clock(const std::string& text);

class ClockLock {
 public:
  /// Restores a lock that was left behind, then locks. `holder`, who locks it, is written to the
  /// marker. Throws Error with the driver's message and what to do; the clock is then not locked.
  ClockLock(ClockControls controls, unsigned mhz, const std::string& marker,
            const std::string& holder);
  ~ClockLock();
  ClockLock(const ClockLock&) = delete;
  ClockLock& operator=(const ClockLock&) = delete;

  /// The text of the left-behind lock that was found and restored; "" if there was none.
  const std::string& left_behind() const { return left_behind_; }

  /// The clock when it reaches the requested value, or its value after a second (an idle GPU may
  /// stay below). Hertz; NaN if unknown.
  double settled_clock_hz() const;

  /// Returns the clock to the driver. Returns "", or why the driver refuses; then the marker stays.
  /// Does nothing after a successful call.
  std::string restore();

 private:
  void write_marker(const std::string& words);

  ClockControls controls_;
  unsigned mhz_;
  std::string marker_path_;
  int marker_ = -1;  // descriptor
  std::string left_behind_;
  bool is_locked_ = false;
};

}  // namespace plumbline::cuda
