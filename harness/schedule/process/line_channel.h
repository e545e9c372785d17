/// Lines to and from a worker's process, each awaited until a deadline.
///
/// Knows the framing of the protocol; nothing of what the lines say.
#pragma once

#include <cstddef>
#include <string>

#include "schedule/process/child_process.h"
#include "schedule/process/interrupt.h"

namespace plumbline {

class LineChannel {
 public:
  /// What waiting for a line came to.
  enum class Heard { line, end, late, too_long, interrupted };

  /// `process` and `interrupt` outlive it; `interrupt` may be null.
  LineChannel(Descriptor requests, Descriptor answers, ChildProcess& process, Interrupt* interrupt,
              std::size_t longest_line_bytes);

  /// The next line of the worker, without its end. Heard::end: it will say nothing more.
  Heard read_line(Deadline deadline, std::string& line);
  /// Heard::line: all of the text is on its way.
  Heard send(const std::string& text, Deadline deadline);
  /// The worker finds the end of its requests.
  void close_requests() { requests_.reset(); }
  /// What came of a line that has no end yet.
  const std::string& unfinished() const { return pending_; }

 private:
  Heard wait_readable(Deadline deadline);

  Descriptor requests_, answers_;
  ChildProcess& process_;
  Interrupt* interrupt_;
  std::size_t longest_line_bytes_;
  std::string pending_;
};

}  // namespace plumbline
