/// Ctrl-C and SIGTERM as a descriptor to poll, for as long as the object lives.
///
/// Knows nothing of what is stopped. One per process at a time; threads started after it may all
/// ask and wait.
#pragma once

#include <signal.h>

#include <atomic>

namespace plumbline {

class Interrupt {
 public:
  /// From here on SIGINT and SIGTERM no longer end the process but are seen by requested().
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// True from the first signal on. For a thread that has seen it the signals have their usual
  /// effect again, so that a second Ctrl-C ends a program that does not stop by itself.
  bool requested();
  /// The signal that came, 0 before.
  int signal_number() const { return signal_; }
  /// Readable from the first signal on.
  int descriptor() const { return either_; }

 private:
  int signals_ = -1;  // what came; read once
  int seen_ = -1;     // readable once it was read, for those that wait at that time
  int either_ = -1;
  std::atomic<int> signal_ = 0;
  sigset_t before_;
};

}  // namespace plumbline
