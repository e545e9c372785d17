#include "device/cuda/nvml.h"

#include <dlfcn.h>
#include <nvml.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/value.h"

namespace plumbline::cuda {

struct Nvml::Library {
  void* handle = nullptr;
  nvmlDevice_t device{};
  bool is_open = false;

  template <class Function>
  Function* symbol(const char* name) const {
    return handle ? reinterpret_cast<Function*>(dlsym(handle, name)) : nullptr;
  }

  /// Calls the query on the device; false where it does not exist or fails.
  template <class Function, class... Arguments>
  bool ask(const char* name, Arguments... arguments) const {
    if (!is_open) return false;
    auto* function = symbol<Function>(name);
    return function != nullptr && function(device, arguments...) == NVML_SUCCESS;
  }
};

#define PLUMBLINE_ASK(function, ...) library_->ask<decltype(function)>(#function, __VA_ARGS__)

Nvml::Nvml(const std::string& uuid) : library_(std::make_unique<Library>()) {
  library_->handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  auto* init = library_->symbol<decltype(nvmlInit_v2)>("nvmlInit_v2");
  auto* find = library_->symbol<decltype(nvmlDeviceGetHandleByUUID)>("nvmlDeviceGetHandleByUUID");
  if (init == nullptr || find == nullptr || init() != NVML_SUCCESS) return;
  library_->is_open = find(uuid.c_str(), &library_->device) == NVML_SUCCESS;
}

Nvml::~Nvml() {
  if (auto* shutdown = library_->symbol<decltype(nvmlShutdown)>("nvmlShutdown")) shutdown();
  if (library_->handle != nullptr) dlclose(library_->handle);
}

void Nvml::describe(Environment& environment) const {
  std::array<char, 96> version{};
  if (auto* get =
          library_->symbol<decltype(nvmlSystemGetDriverVersion)>("nvmlSystemGetDriverVersion");
      get != nullptr && get(version.data(), version.size()) == NVML_SUCCESS)
    environment.driver = version.data();
  unsigned value = 0;
  unsigned pending = 0;
  if (PLUMBLINE_ASK(nvmlDeviceGetEnforcedPowerLimit, &value))
    environment.power_limit_w = shortest_text(value / 1000.0);
  nvmlEnableState_t enabled{};
  nvmlEnableState_t enabled_later{};
  if (PLUMBLINE_ASK(nvmlDeviceGetEccMode, &enabled, &enabled_later))
    environment.ecc = enabled == NVML_FEATURE_ENABLED ? "on" : "off";
  if (PLUMBLINE_ASK(nvmlDeviceGetMigMode, &value, &pending)) environment.mig = value ? "on" : "off";
  if (PLUMBLINE_ASK(nvmlDeviceGetPersistenceMode, &enabled))
    environment.persistence = enabled == NVML_FEATURE_ENABLED ? "on" : "off";
  if (PLUMBLINE_ASK(nvmlDeviceGetMaxClockInfo, NVML_CLOCK_SM, &value))
    environment.sm_clock_max_hz = shortest_text(value * 1e6);
  if (PLUMBLINE_ASK(nvmlDeviceGetMaxClockInfo, NVML_CLOCK_MEM, &value))
    environment.memory_clock_max_hz = shortest_text(value * 1e6);
}

DeviceState Nvml::state() const {
  DeviceState state{.temperature_c = std::nan(""), .power_w = std::nan(""), .throttle = {}};
  unsigned value = 0;
  if (PLUMBLINE_ASK(nvmlDeviceGetTemperature, NVML_TEMPERATURE_GPU, &value))
    state.temperature_c = value;
  if (PLUMBLINE_ASK(nvmlDeviceGetPowerUsage, &value)) state.power_w = value / 1000.0;
  unsigned long long reasons = 0;
  if (PLUMBLINE_ASK(nvmlDeviceGetCurrentClocksEventReasons, &reasons)) {
    constexpr std::pair<unsigned long long, const char*> kReasons[] = {
        {0x4, "power_cap"},   {0x8, "hw_slowdown"}, {0x10, "sync_boost"},
        {0x20, "sw_thermal"}, {0x40, "hw_thermal"}, {0x80, "power_brake"}};
    for (const auto& [bit, name] : kReasons)
      if (reasons & bit) state.throttle += (state.throttle.empty() ? "" : "+") + std::string(name);
  }
  // By number, not by process id: inside a container or virtual machine the driver's ids are not
  // this process's.
  std::vector<nvmlProcessInfo_t> processes(64);
  unsigned count = 64;
  if (PLUMBLINE_ASK(nvmlDeviceGetComputeRunningProcesses_v3, &count, processes.data()))
    state.has_foreign_process = count > 1;
  return state;
}

}  // namespace plumbline::cuda
