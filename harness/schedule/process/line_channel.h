/// Lines to and from a worker's process, each with a deadline.
///
/// Knows the framing of the protocol, not the contents of lines.
#pragma once

#include <cstddef>
#include <string>

#include "schedule/process/child_process.h"
#include "schedule/process/interrupt.h"

namespace plumbline {

class LineChannel {
 public:
  /// The result of waiting for a line.
  enum class Heard { line, end, late, too_long, interrupted };

  /// `process` and `interrupt` must outlive this object; `interrupt` may be null.
  LineChannel(Descriptor requests, Descriptor answers, ChildProcess& process, Interrupt* interrupt,
              std::size_t longest_line_bytes);

  /// Reads the worker's next line, without its newline. Heard::end: no more lines follow.
  Heard read_line(Deadline deadline, std::string& line);
  /// Sends the text. Heard::line: all of it was written.
  Heard send(const std::string& text, Deadline deadline);
  /// Closes the worker's input, so that it reads end of file.
  void close_requests() { requests_.reset(); }
  /// The part of a line that was received without its newline.
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
