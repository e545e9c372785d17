#include "device/cuda/nvml/clock_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include "core/error.h"
#include "device/cuda/nvml/nvml.h"

namespace plumbline::cuda {
namespace {

constexpr const char* kAdvice =
    "; it takes root, and a GPU whose host allows it; without --lock-clocks everything is measured "
    "at the driver's own clocks";
constexpr unsigned kHighestMhz = 100'000;
constexpr double kClockStep_hz = 15e6;  // of NVIDIA GPUs: values in between are rounded
constexpr double kLook_s = 0.02;
constexpr int kLooks = 50;

/// Only this process holds it. Writable for all users, because they share the GPU. Throws Error.
int open_marker(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  // In a shared folder the kernel refuses O_CREAT on somebody else's file.
  int file = open(path.c_str(), kFlags);
  if (file < 0 && errno == ENOENT) {
    file = open(path.c_str(), kFlags | O_CREAT, 0666);
    if (file >= 0) fchmod(file, 0666);  // independent of the umask
  }
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (file >= 0 && fcntl(file, F_OFD_SETLK, &whole) == 0) return file;
  const int error = errno;
  const bool is_taken = file >= 0 && (error == EAGAIN || error == EACCES);
  if (file >= 0) close(file);
  if (is_taken)
    throw Error("another process keeps the clocks of this GPU locked; the file '" + path +
                "' names it. Wait until it ends");
  throw Error("cannot write the marker '" + path +
              "', so the clock is not locked: " + std::strerror(error) +
              "; set PLUMBLINE_LOCKS to a folder that all users of this device can write");
}

std::string words_in(int file) {
  char text[4096];
  const ssize_t got = pread(file, text, sizeof text, 0);
  return {text, static_cast<std::size_t>(got > 0 ? got : 0)};
}

}  // namespace

ClockControls clock_controls(Nvml& nvml) {
  return {
      [&nvml](unsigned mhz) { return nvml.lock_sm_clock(mhz); },
      [&nvml] { return nvml.unlock_sm_clock(); }, [&nvml] { return nvml.sm_clock_hz(); },
      [](double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }};
}

unsigned parse_clock(const std::string& text) {
  if (text == "base") return 0;
  unsigned mhz = 0;
  const char* end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, mhz);
  if (code != std::errc() || rest != end || mhz == 0 || mhz > kHighestMhz)
    throw Error("--lock-clocks '" + text +
                "' is no clock; allowed: base, or a whole number of MHz, such as 1500");
  return mhz;
}

ClockLock::ClockLock(ClockControls controls, unsigned mhz, const std::string& marker,
                     const std::string& holder)
    : controls_(std::move(controls)),
      mhz_(mhz),
      marker_path_(marker),
      marker_(open_marker(marker)) {
  try {
    const std::string left = words_in(marker_);
    if (!left.empty()) {
      if (const std::string refusal = controls_.unlock(); !refusal.empty())
        throw Error("the SM clock was left locked by " + left + " and cannot be restored: " +
                    refusal + "; as root, nvidia-smi -rgc restores it");
      write_marker("");
      left_behind_ = left;
    }
    // Before the lock: if the process dies in between, no lock exists without its text.
    write_marker(holder);
    if (const std::string refusal = controls_.lock(mhz_); !refusal.empty()) {
      write_marker("");
      throw Error("cannot lock the SM clock: " + refusal + kAdvice);
    }
    is_locked_ = true;
  } catch (...) {
    close(marker_);
    throw;
  }
}

ClockLock::~ClockLock() {
  restore();  // if refused, the marker keeps its text
  close(marker_);
}

void ClockLock::write_marker(const std::string& words) {
  const bool is_written =
      ftruncate(marker_, 0) == 0 &&
      pwrite(marker_, words.data(), words.size(), 0) == static_cast<ssize_t>(words.size());
  if (!is_written)
    throw Error("cannot write the marker '" + marker_path_ + "': " + std::strerror(errno));
}

double ClockLock::settled_clock_hz() const {
  double clock_hz = controls_.sm_clock_hz();
  for (int look = 0; look < kLooks && !std::isnan(clock_hz); ++look) {
    if (mhz_ != 0 && std::abs(clock_hz - mhz_ * 1e6) <= kClockStep_hz) break;
    controls_.wait(kLook_s);
    clock_hz = controls_.sm_clock_hz();
  }
  return clock_hz;
}

std::string ClockLock::restore() {
  if (!is_locked_) return "";
  std::string refusal = controls_.unlock();
  if (!refusal.empty()) return refusal;
  is_locked_ = false;
  (void)!ftruncate(marker_, 0);  // a leftover marker only makes the next lock restore once more
  return "";
}

}  // namespace plumbline::cuda
