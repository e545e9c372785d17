#include "backends/nccl/communicators.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <optional>

#include "backends/implementation.h"
#include "backends/nccl/rank_devices.h"
#include "backends/nccl/version.h"
#include "device/cuda/ranks.h"

namespace plumbline::nccl {
namespace {

/// A variable of the environment for a scope: NCCL reads its choice when a communicator is made.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    if (value == "auto")
      unsetenv(name);
    else
      setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

std::vector<ncclComm_t> made(const Choice& choice) {
  const Variable algorithm("NCCL_ALGO", choice.algorithm);
  const Variable protocol("NCCL_PROTO", choice.protocol);
  std::vector<int> devices;
  for (int rank = 0; rank < choice.ranks; ++rank) devices.push_back(device_of_rank(rank).index());
  std::vector<ncclComm_t> comms(devices.size(), nullptr);
  const cuda::OnDevice back_afterwards(devices.front());
  check(ncclCommInitAll(comms.data(), choice.ranks, devices.data()), "ncclCommInitAll");
  return comms;
}

void destroy(const std::vector<ncclComm_t>& comms) {
  for (const ncclComm_t comm : comms) check(ncclCommDestroy(comm), "ncclCommDestroy");
}

}  // namespace

void check(ncclResult_t code, const std::string& call) {
  if (code == ncclSuccess) return;
  const char* const more = ncclGetLastError(nullptr);
  const std::string text = call + ": " + ncclGetErrorString(code) +
                           (more != nullptr && *more != 0 ? ": " + std::string(more) : "");
  // NCCL looks for the choice at the launch. It blames itself if the variables are gone by then.
  const bool lacks_choice = code == ncclInternalError &&
                            text.find("no algorithm/protocol available") != std::string::npos;
  if (lacks_choice || code == ncclInvalidUsage || code == ncclInvalidArgument)
    throw Unsupported(text);
  throw DeviceError(text, DeviceError::Kind::sticky);
}

const std::vector<ncclComm_t>& communicators(const Choice& choice) {
  static std::optional<Choice> kept;
  static std::vector<ncclComm_t> comms;
  if (kept == choice) return comms;
  kept.reset();
  destroy(comms);
  comms.clear();
  comms = made(choice);
  kept = choice;
  return comms;
}

std::string version() {
  int number = 0;
  check(ncclGetVersion(&number), "ncclGetVersion");
  return std::to_string(number / 10000) + "." + std::to_string(number % 10000 / 100) + "." +
         std::to_string(number % 100);
}

}  // namespace plumbline::nccl
