#include "schedule/interrupt.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/error.h"

namespace plumbline {

Interrupt::Interrupt() {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGINT);
  sigaddset(&stops, SIGTERM);
  sigprocmask(SIG_BLOCK, &stops, &before_);
  descriptor_ = signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0)
    throw Error(std::string("cannot watch for Ctrl-C: signalfd: ") + std::strerror(errno));
}

Interrupt::~Interrupt() {
  close(descriptor_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool Interrupt::requested() {
  if (signal_ != 0) return true;
  signalfd_siginfo info;
  if (read(descriptor_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return false;
  signal_ = static_cast<int>(info.ssi_signo);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  return true;
}

}  // namespace plumbline
