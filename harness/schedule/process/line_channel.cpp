#include "schedule/process/line_channel.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace plumbline {

LineChannel::LineChannel(Descriptor requests, Descriptor answers, ChildProcess& process,
                         Interrupt* interrupt, std::size_t longest_line_bytes)
    : requests_(std::move(requests)),
      answers_(std::move(answers)),
      process_(process),
      interrupt_(interrupt),
      longest_line_bytes_(longest_line_bytes) {}

LineChannel::Heard LineChannel::wait_readable(Deadline deadline) {
  for (;;) {
    std::array<pollfd, 3> watched{{{answers_.get(), POLLIN, 0},
                                   {interrupt_ ? interrupt_->descriptor() : -1, POLLIN, 0},
                                   {process_.end_descriptor(), POLLIN, 0}}};
    const int left_ms = milliseconds_until(deadline);
    const int ready = poll(watched.data(), watched.size(), left_ms);
    if (interrupt_ && interrupt_->requested()) return Heard::interrupted;
    if (ready < 0) continue;  // an unrelated signal
    if (watched[0].revents != 0) return Heard::line;
    if (watched[2].revents != 0) {
      // The process is dead; its last output is already in the pipe. The pipe may never end,
      // because a process started by the worker can hold it open.
      return poll(watched.data(), 1, 0) > 0 ? Heard::line : Heard::end;
    }
    if (left_ms == 0) return Heard::late;
  }
}

LineChannel::Heard LineChannel::read_line(Deadline deadline, std::string& line) {
  std::size_t searched = 0;
  for (;;) {
    if (const auto end = pending_.find('\n', searched); end != std::string::npos) {
      line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return Heard::line;
    }
    searched = pending_.size();
    if (searched > longest_line_bytes_) return Heard::too_long;
    if (const Heard heard = wait_readable(deadline); heard != Heard::line) return heard;
    char buffer[65536];
    const ssize_t got = read(answers_.get(), buffer, sizeof buffer);
    if (got == 0) return Heard::end;
    if (got > 0) pending_.append(buffer, static_cast<std::size_t>(got));
  }
}

LineChannel::Heard LineChannel::send(const std::string& text, Deadline deadline) {
  const NoBrokenPipeSignal guard;
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t put = write(requests_.get(), text.data() + sent, text.size() - sent);
    if (put > 0) {
      sent += static_cast<std::size_t>(put);
    } else if (errno == EPIPE) {
      return Heard::end;
    } else if (errno == EAGAIN) {
      const int left_ms = milliseconds_until(deadline);
      pollfd watched{requests_.get(), POLLOUT, 0};
      if (left_ms == 0 || poll(&watched, 1, left_ms) == 0) return Heard::late;
    } else if (errno != EINTR) {
      return Heard::end;
    }
  }
  return Heard::line;
}

}  // namespace plumbline
