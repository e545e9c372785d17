/// For code that checks its own results.
#pragma once

#include <stdexcept>
#include <string>

namespace plumbline {

/// The implementation compared what it computes with float64 itself, and it differs too much. The
/// case is WRONG, with this reason.
class WrongResult : public std::runtime_error {
 public:
  explicit WrongResult(const std::string& reason) : std::runtime_error(reason) {}
};

}  // namespace plumbline
