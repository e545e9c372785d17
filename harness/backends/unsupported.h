/// What code throws for a case that its backend cannot do. Knows neither CUDA nor LibTorch.
#pragma once

#include <stdexcept>
#include <string>

namespace plumbline {

/// This backend cannot do this case; the reason is shown unchanged.
class Unsupported : public std::runtime_error {
 public:
  explicit Unsupported(const std::string& reason) : std::runtime_error(reason) {}
};

}  // namespace plumbline
