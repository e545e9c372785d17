/// The SM clock of a GPU, locked for as long as the object lives and given back to the driver
/// after.
///
/// Never made unless the user asked for it. A marker file says that the clock is locked and by
/// whom: its lock goes with its process, its words only with the clock's restoration. So words that
/// nobody holds are a lock that was left behind, and the next ClockLock restores that first. What
/// was locked by others before cannot be asked of the driver: restored is the driver's default.
/// Knows NVML only through ClockControls.
#pragma once

#include <functional>
#include <string>

namespace plumbline::cuda {

class Nvml;

/// What a lock needs of a GPU. Tests script it.
struct ClockControls {
  std::function<std::string(unsigned mhz)> lock;  // "", or why it is refused; 0 MHz = base clock
  std::function<std::string()> unlock;            // the same
  std::function<double()> sm_clock_hz;            // NaN = unknown
  std::function<void(double seconds)> wait;
};

/// Those of a real GPU; `nvml` must outlive them.
ClockControls clock_controls(Nvml& nvml);

/// Megahertz of "1500", 0 of "base". Throws Error saying what is allowed.
unsigned parse_clock(const std::string& text);

class ClockLock {
 public:
  /// Restores what was left behind, then locks. `holder` goes into the marker: who this is, in
  /// words. Throws Error with the driver's words and what to do; nothing is locked then.
  ClockLock(ClockControls controls, unsigned mhz, const std::string& marker,
            const std::string& holder);
  ~ClockLock();
  ClockLock(const ClockLock&) = delete;
  ClockLock& operator=(const ClockLock&) = delete;

  /// The words of the lock that was found left behind and is restored, "" where there was none.
  const std::string& left_behind() const { return left_behind_; }

  /// The clock once it is where it was asked to be, or after a second wherever it is then (an idle
  /// GPU may stay below). Hertz, NaN where unknown.
  double settled_clock_hz() const;

  /// Gives the clock back; "", or why the driver refuses, and then the marker stays. What was
  /// restored once is not touched again.
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
