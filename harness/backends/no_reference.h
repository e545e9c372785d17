/// For cases whose results cannot be checked.
#pragma once

#include <stdexcept>
#include <string>

namespace plumbline {

/// There is no float64 reference; the reason is shown with the status UNVERIFIED.
class NoReference : public std::runtime_error {
 public:
  explicit NoReference(const std::string& reason) : std::runtime_error(reason) {}
};

}  // namespace plumbline
