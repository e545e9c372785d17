#include "schedule/process/interrupt.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/error.h"

namespace plumbline {
namespace {

int checked(int descriptor, const char* call) {
  if (descriptor < 0)
    throw Error(std::string("cannot watch for Ctrl-C: ") + call + ": " + std::strerror(errno));
  return descriptor;
}

}  // namespace

Interrupt::Interrupt() {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGINT);
  sigaddset(&stops, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stops, &before_);
  signals_ = checked(signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
  seen_ = checked(eventfd(0, EFD_CLOEXEC), "eventfd");
  either_ = checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
  for (const int descriptor : {signals_, seen_}) {
    epoll_event watched{};
    watched.events = EPOLLIN;
    checked(epoll_ctl(either_, EPOLL_CTL_ADD, descriptor, &watched), "epoll_ctl");
  }
}

Interrupt::~Interrupt() {
  for (const int descriptor : {either_, seen_, signals_}) close(descriptor);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool Interrupt::requested() {
  const std::lock_guard lock(reading_);
  if (signal_ == 0) {
    signalfd_siginfo info;
    if (read(signals_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return false;
    signal_ = static_cast<int>(info.ssi_signo);
    const std::uint64_t one = 1;
    (void)!write(seen_, &one, sizeof one);
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  return true;
}

}  // namespace plumbline
