/// A worker's footing for its whole life: the device, LibTorch set up on it, and what is recorded
/// of both.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "protocol/messages.h"

namespace plumbline {

struct SessionOptions {
  std::string device = "cpu";  // cpu, cuda, cuda:N
  Profile profile = Profile::timing;
  std::vector<std::string> extensions;  // LibTorch extensions (.so) to load
};

class Session {
 public:
  /// Throws Error for an unknown device, a profile that this build cannot serve, or an extension
  /// that does not load.
  explicit Session(const SessionOptions& options);

  Device& device() { return *device_; }
  bool is_cuda() const { return is_cuda_; }
  Hello hello() const;

 private:
  std::unique_ptr<Device> device_;
  bool is_cuda_ = false;
};

/// Environments of all devices of this machine, best first: {"cuda:0", …}, …, {"cpu", …}.
std::vector<std::pair<std::string, Environment>> all_devices();

/// Loads LibTorch extensions, after which their operators are in the dispatcher.
void load_extensions(const std::vector<std::string>& paths);

/// Schemas of all operators that the dispatcher knows, sorted.
std::vector<std::string> operator_schemas();

}  // namespace plumbline
