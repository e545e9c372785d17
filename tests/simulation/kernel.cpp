#include "simulation/kernel.h"

#include <errno.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace plumbline::simulation {
namespace {

thread_local Kernel* current = nullptr;

/// Process ids in the simulation are not the machine's.
void send_interrupt() { syscall(SYS_kill, syscall(SYS_getpid), SIGINT); }

void take_back_interrupt() {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGINT);
  const timespec at_once{};
  while (sigtimedwait(&stops, nullptr, &at_once) == SIGINT) continue;
}

bool is_plain_file(int descriptor) {
  struct stat found {};
  return fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
}

/// True for a dead process: the call fails and changes nothing.
bool is_refused() {
  if (current == nullptr || !current->is_dead()) return false;
  errno = EIO;
  return true;
}

}  // namespace

Kernel* kernel() { return current; }

InProcess::InProcess(Kernel* of) : before_(current) { current = of; }
InProcess::~InProcess() { current = before_; }

double real_s() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

void Kernel::begin_life(int pid, const KernelFaults& faults) {
  pid_ = pid;
  faults_ = faults;
  steps_ = 0;
  is_dead_ = is_full_ = was_interrupted_ = false;
  tally_.add(Count::lives);
  if (faults.is_slow) tally_.add(Count::slow_disks);
  pass_time(double(dice_.between(1, 100'000)));
}

void Kernel::end_life() {
  take_back_interrupt();
  if (held_ >= 0) ::close(std::exchange(held_, -1));
}

void Kernel::happen(std::uint64_t at) {
  pass_time(1e-6 * double(dice_.below(1'000'000)));
  if (at == faults_.jumps_at) {
    offset_ns_ += faults_.jump_s * 1'000'000'000;
    // The machine slept: a monotonic clock only jumps forward.
    if (faults_.jump_s > 0) pass_time(double(faults_.jump_s));
    tally_.add(Count::clock_jumps);
  }
  if (at == faults_.interrupted_at) {
    was_interrupted_ = true;
    tally_.add(Count::interrupts);
    send_interrupt();
  }
}

void Kernel::step() {
  if (is_dead_) throw Death{};
  const std::uint64_t at = steps_++;
  happen(at);
  if (at != faults_.dies_at) return;
  is_dead_ = true;
  tally_.add(Count::deaths);
  throw Death{};
}

std::uint64_t Kernel::write_step(std::uint64_t bytes) {
  if (is_dead_) throw Death{};
  const std::uint64_t at = steps_++;
  happen(at);
  if (faults_.is_slow) pass_time(double(dice_.below(60)));
  if (at >= faults_.full_from) {
    if (is_full_) return 0;
    is_full_ = true;
    tally_.add(Count::full_disks);
    return dice_.below(bytes);
  }
  if (at != faults_.dies_at) return bytes;
  is_dead_ = true;
  tally_.add(Count::deaths);
  tally_.add(Count::deaths_in_writes);
  return dice_.below(bytes + 1);
}

void Kernel::sleep(double seconds) {
  pass_time(seconds);
  if (held_ >= 0 && --held_for_ <= 0) ::close(std::exchange(held_, -1));
}

void Kernel::hold_for_sleeps(int descriptor, int sleeps) {
  held_ = descriptor;
  held_for_ = sleeps;
}

}  // namespace plumbline::simulation

using plumbline::simulation::Death;
using plumbline::simulation::kernel;
using plumbline::simulation::Kernel;

// Functions of libc that the harness calls. Calls of the machine itself go through syscall().
extern "C" {

ssize_t write(int fd, const void* data, size_t size) {
  Kernel* const of = kernel();
  if (of == nullptr || size == 0 || !plumbline::simulation::is_plain_file(fd))
    return syscall(SYS_write, fd, data, size);
  const std::uint64_t reaching = of->write_step(size);
  if (reaching > 0 && syscall(SYS_write, fd, data, reaching) != ssize_t(reaching)) {
    std::perror("simulate: the folder of the simulation cannot be written");
    _exit(2);
  }
  if (of->is_dead()) throw Death{};
  if (reaching == 0) {
    errno = ENOSPC;
    return -1;
  }
  return ssize_t(reaching);
}

// Nothing here survives a power loss, so nothing is synced.
int fsync(int) {
  if (Kernel* const of = kernel()) of->step();
  return 0;
}

int rename(const char* from, const char* to) noexcept {
  return plumbline::simulation::is_refused() ? -1 : int(syscall(SYS_rename, from, to));
}

int unlink(const char* path) noexcept {
  return plumbline::simulation::is_refused() ? -1 : int(syscall(SYS_unlink, path));
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return plumbline::simulation::is_refused() ? -1 : int(syscall(SYS_unlinkat, folder, path, flags));
}

int remove(const char* path) noexcept {
  if (plumbline::simulation::is_refused()) return -1;
  const int removed = int(syscall(SYS_unlink, path));
  return removed != 0 && errno == EISDIR ? int(syscall(SYS_rmdir, path)) : removed;
}

int ftruncate(int fd, off_t bytes) noexcept {
  return plumbline::simulation::is_refused() ? -1 : int(syscall(SYS_ftruncate, fd, bytes));
}

int usleep(useconds_t microseconds) {
  if (Kernel* const of = kernel()) {
    of->sleep(1e-6 * microseconds);
    return 0;
  }
  const timespec span{microseconds / 1'000'000, long(microseconds % 1'000'000) * 1000};
  return int(syscall(SYS_nanosleep, &span, nullptr));
}

pid_t getpid() noexcept {
  const Kernel* const of = kernel();
  return of != nullptr ? of->pid() : pid_t(syscall(SYS_getpid));
}

int getentropy(void* into, size_t size) noexcept {
  Kernel* const of = kernel();
  if (of == nullptr) return syscall(SYS_getrandom, into, size, 0) == long(size) ? 0 : -1;
  for (size_t done = 0; done < size;) {
    const std::uint64_t drawn = of->random();
    const size_t part = std::min(size - done, sizeof drawn);
    std::memcpy(static_cast<char*>(into) + done, &drawn, part);
    done += part;
  }
  return 0;
}

int clock_gettime(clockid_t clock, timespec* into) noexcept {
  const Kernel* const of = kernel();
  if (of == nullptr || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
    return int(syscall(SYS_clock_gettime, clock, into));
  const std::int64_t ns = clock == CLOCK_REALTIME ? of->realtime_ns() : of->monotonic_ns();
  *into = {ns / 1'000'000'000, ns % 1'000'000'000};
  return 0;
}

time_t time(time_t* into) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}
}
