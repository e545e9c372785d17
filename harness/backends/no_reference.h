/// Where results cannot be checked.
#pragma once

#include <stdexcept>
#include <string>

namespace plumbline {

/// No float64 reference can be had; the reason is shown with the status UNVERIFIED.
class NoReference : public std::runtime_error {
 public:
  explicit NoReference(const std::string& reason) : std::runtime_error(reason) {}
};

}  // namespace plumbline
