/// The one exception for mistakes that a user can fix: bad input, bad flags, unreadable files.
///
/// A failure of a *case* is not an exception but a Status on its result (core/status.h).
#pragma once

#include <stdexcept>
#include <string>

namespace plumbline {

/// The message says what was found, where (file:line:column, row, flag), what is allowed and what
/// to do. Caught once, in the command line's main: `error: …`, exit code 2.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace plumbline
