/// Ctrl-C and SIGTERM as a descriptor to poll, for as long as the object lives.
///
/// Knows nothing of what is stopped. One per process at a time.
#pragma once

#include <signal.h>

namespace plumbline {

class Interrupt {
 public:
  /// From here on SIGINT and SIGTERM no longer end the process but are seen by requested().
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// True from the first signal on. After it the signals have their usual effect again, so that
  /// a second Ctrl-C ends a program that does not stop by itself.
  bool requested();
  /// The signal that came, 0 before.
  int signal_number() const { return signal_; }
  /// Readable once a signal came and until requested() has seen it.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  int signal_ = 0;
  sigset_t before_;
};

}  // namespace plumbline
