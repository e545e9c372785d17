/// Ctrl-C and SIGTERM as a descriptor to poll, while the object lives.
///
/// Does not know what is stopped. One object per process at a time; all threads started after it
/// may use it.
#pragma once

#include <signal.h>

#include <atomic>
#include <mutex>

namespace plumbline {

class Interrupt {
 public:
  /// From now on SIGINT and SIGTERM do not end the process; requested() reports them.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// True after the first signal, from then on for every thread. It then restores the signals'
  /// normal effect for the calling thread, so that a second Ctrl-C ends a program that does not
  /// stop.
  bool requested();
  /// The signal that was received; 0 before.
  int signal_number() const { return signal_; }
  /// Readable after the first signal.
  int descriptor() const { return either_; }

 private:
  int signals_ = -1;  // signalfd; read once
  int seen_ = -1;     // eventfd: readable after that read, for other waiting threads
  int either_ = -1;
  std::mutex reading_;  // a thread that finds nothing to read must see what another has read
  std::atomic<int> signal_ = 0;
  sigset_t before_;
};

}  // namespace plumbline
