#include "worker/session/clock_keeper.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "device/cuda/nvml/clock_lock.h"
#include "device/cuda/nvml/nvml.h"

namespace plumbline {
namespace {

/// Neither a signal to the process group nor the parent's death, which kills plumbline's children,
/// may end this process before it has restored the clock.
void outlive_the_parent() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2})
    signal(number, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, 0);
}

void wait_for_end_of_input() {
  char ignored[256];
  ssize_t got = 0;
  do got = read(STDIN_FILENO, ignored, sizeof ignored);
  while (got > 0 || (got < 0 && errno == EINTR));
}

/// Values of the flags; all flags are required.
std::map<std::string, std::string> parse(const std::vector<std::string>& arguments) {
  constexpr const char* kUsage =
      "; usage: plumbline-worker --lock-clocks base|MHZ --device GPU-… --marker FILE";
  std::map<std::string, std::string> values{
      {"--lock-clocks", ""}, {"--device", ""}, {"--marker", ""}};
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const auto flag = values.find(arguments[i]);
    if (flag == values.end()) throw Error("unknown flag '" + arguments[i] + "'" + kUsage);
    if (i + 1 < arguments.size()) flag->second = arguments[i + 1];
  }
  for (const auto& [flag, value] : values)
    if (value.empty()) throw Error("'" + flag + "' lacks its value" + kUsage);
  if (!values["--device"].starts_with("GPU-"))
    throw Error("'" + values["--device"] + "' is no UUID of a GPU, such as plumbline-worker " +
                "--devices prints; only GPUs have clocks to lock");
  return values;
}

}  // namespace

int keep_clocks(const std::vector<std::string>& arguments) {
  auto values = parse(arguments);
  const std::string& clock = values["--lock-clocks"];
  const unsigned mhz = cuda::parse_clock(clock);
  outlive_the_parent();
  cuda::Nvml nvml(values["--device"]);
  cuda::ClockLock lock(cuda::clock_controls(nvml), mhz, values["--marker"],
                       "process " + std::to_string(getpid()) + " (--lock-clocks " + clock + ")");
  const double observed_hz = lock.settled_clock_hz();
  nlohmann::ordered_json locked{{"observed_hz", nullptr}, {"left_behind", lock.left_behind()}};
  if (!std::isnan(observed_hz)) locked["observed_hz"] = observed_hz;
  std::cout << nlohmann::ordered_json{{"locked", locked}} << '\n' << std::flush;
  wait_for_end_of_input();
  if (const std::string refusal = lock.restore(); !refusal.empty())
    throw Error("cannot restore the SM clock of " + values["--device"] + ": " + refusal +
                "; as root, nvidia-smi -i " + values["--device"] + " -rgc restores it");
  std::cout << R"({"restored": true})" << '\n' << std::flush;
  return 0;
}

}  // namespace plumbline
