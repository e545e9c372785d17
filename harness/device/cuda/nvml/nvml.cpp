#include "device/cuda/nvml/nvml.h"

#include <dlfcn.h>
#include <nvml.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/value.h"

namespace plumbline::cuda {
namespace {

constexpr const char* kMpsServer = "nvidia-cuda-mps-server";
constexpr unsigned long long kOldestSample_us = 60'000'000;

/// The clock of the driver's samples, as NVML documents it: the CPU's.
unsigned long long wall_clock_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

struct ClockReason {
  unsigned long long bit;
  const char* name;
};
constexpr unsigned long long kIdle = nvmlClocksEventReasonGpuIdle;
constexpr unsigned long long kClockSetting = nvmlClocksEventReasonApplicationsClocksSetting;
constexpr ClockReason kClockReasons[] = {
    {kClockSetting, "clock_setting"},
    {nvmlClocksEventReasonSwPowerCap, "power_cap"},
    {nvmlClocksThrottleReasonHwSlowdown, "hw_slowdown"},
    {nvmlClocksEventReasonSyncBoost, "sync_boost"},
    {nvmlClocksEventReasonSwThermalSlowdown, "sw_thermal"},
    {nvmlClocksThrottleReasonHwThermalSlowdown, "hw_thermal"},
    {nvmlClocksThrottleReasonHwPowerBrakeSlowdown, "power_brake"},
    {nvmlClocksEventReasonDisplayClockSetting, "display_clock"},
};

std::string reasons_text(unsigned long long reasons) {
  std::string text;
  const auto add = [&](const std::string& name) { text += (text.empty() ? "" : "+") + name; };
  reasons &= ~kIdle;
  for (const auto& [bit, name] : kClockReasons)
    if (reasons & bit) {
      add(name);
      reasons &= ~bit;
    }
  if (reasons == 0) return text;
  char unnamed[24];
  std::snprintf(unnamed, sizeof unnamed, "0x%llx", reasons);
  add(unnamed);
  return text;
}

std::string link_text(unsigned generation, unsigned width) {
  return "gen " + std::to_string(generation) + " x" + std::to_string(width);
}

/// The name of an NVML number; the number itself if it has no name.
template <std::size_t Count>
std::string named(const std::array<const char*, Count>& names, int value) {
  const bool is_known = value >= 0 && static_cast<std::size_t>(value) < Count;
  return is_known ? names[static_cast<std::size_t>(value)] : std::to_string(value);
}

/// Parent of a process, proc(5); 0 if the process does not exist.
unsigned parent_of(unsigned process_id) {
  std::ifstream file("/proc/" + std::to_string(process_id) + "/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream behind_name(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  char state = 0;
  unsigned parent = 0;
  behind_name >> state >> parent;
  return parent;
}

}  // namespace

struct Nvml::Library {
  void* handle = nullptr;
  nvmlDevice_t device{};
  bool is_open = false;

  template <class Function>
  Function* symbol(const char* name) const {
    return handle ? reinterpret_cast<Function*>(dlsym(handle, name)) : nullptr;
  }

  template <class Function, class... Arguments>
  nvmlReturn_t call(const char* name, Arguments... arguments) const {
    if (!is_open) return NVML_ERROR_UNINITIALIZED;
    auto* function = symbol<Function>(name);
    return function ? function(device, arguments...) : NVML_ERROR_FUNCTION_NOT_FOUND;
  }

  /// A text property of the device; "" if there is none.
  template <class Function>
  std::string text(const char* name) const {
    std::array<char, 96> buffer{};
    const auto code = call<Function>(name, buffer.data(), unsigned(buffer.size()));
    return code == NVML_SUCCESS ? buffer.data() : "";
  }

  /// A list. If the buffer is too small, the driver tells the length.
  template <class Function>
  std::vector<nvmlProcessInfo_t> processes(const char* name) const {
    std::vector<nvmlProcessInfo_t> list(64);
    for (;;) {
      auto count = unsigned(list.size());
      const nvmlReturn_t code = call<Function>(name, &count, list.data());
      const bool is_short = code == NVML_ERROR_INSUFFICIENT_SIZE && count > list.size();
      list.resize(code == NVML_SUCCESS || is_short ? count : 0);
      if (!is_short) return list;
    }
  }
};

/// Queries the device; true if the query exists and succeeds.
#define PLUMBLINE_ASK(function, ...) \
  (library_->call<decltype(function)>(#function, __VA_ARGS__) == NVML_SUCCESS)

Nvml::Nvml(const std::string& uuid, const char* library)
    : library_(std::make_unique<Library>()), own_(unsigned(getpid())) {
  library_->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  auto* init = library_->symbol<decltype(nvmlInit_v2)>("nvmlInit_v2");
  auto* find = library_->symbol<decltype(nvmlDeviceGetHandleByUUID)>("nvmlDeviceGetHandleByUUID");
  if (init == nullptr || find == nullptr || init() != NVML_SUCCESS) return;
  library_->is_open = find(uuid.c_str(), &library_->device) == NVML_SUCCESS;
  if (!library_->is_open && uuid.starts_with("GPU-")) {  // also CUDA's text for a MIG instance
    const std::string instance = "MIG-" + uuid.substr(4);
    library_->is_open = find(instance.c_str(), &library_->device) == NVML_SUCCESS;
    library_->is_open =
        PLUMBLINE_ASK(nvmlDeviceGetDeviceHandleFromMigDeviceHandle, &library_->device);
  }
  working_since_last_time();  // ignores work before our start
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
  unsigned second = 0;
  if (PLUMBLINE_ASK(nvmlDeviceGetEnforcedPowerLimit, &value))
    environment.power_limit_w = value / 1000.0;
  nvmlEnableState_t enabled{};
  nvmlEnableState_t enabled_later{};
  if (PLUMBLINE_ASK(nvmlDeviceGetEccMode, &enabled, &enabled_later))
    environment.ecc = enabled == NVML_FEATURE_ENABLED;
  if (PLUMBLINE_ASK(nvmlDeviceGetMigMode, &value, &second)) environment.mig = value != 0;
  if (PLUMBLINE_ASK(nvmlDeviceGetPersistenceMode, &enabled))
    environment.persistence = enabled == NVML_FEATURE_ENABLED;
  if (PLUMBLINE_ASK(nvmlDeviceGetMaxClockInfo, NVML_CLOCK_SM, &value))
    environment.sm_clock_max_hz = value * 1e6;
  if (PLUMBLINE_ASK(nvmlDeviceGetMaxClockInfo, NVML_CLOCK_MEM, &value))
    environment.memory_clock_max_hz = value * 1e6;
  if (PLUMBLINE_ASK(nvmlDeviceGetMaxPcieLinkGeneration, &value) &&
      PLUMBLINE_ASK(nvmlDeviceGetMaxPcieLinkWidth, &second))
    environment.pcie_max = link_text(value, second);
  if (PLUMBLINE_ASK(nvmlDeviceGetCurrPcieLinkGeneration, &value) &&
      PLUMBLINE_ASK(nvmlDeviceGetCurrPcieLinkWidth, &second))
    environment.pcie_now = link_text(value, second);
  constexpr std::array kModes{"default", "exclusive_thread", "prohibited", "exclusive_process"};
  if (nvmlComputeMode_t mode{}; PLUMBLINE_ASK(nvmlDeviceGetComputeMode, &mode))
    environment.compute_mode = named(kModes, mode);
  constexpr std::array kVirtual{"none", "passthrough", "vgpu", "host_vgpu", "host_vsga"};
  if (nvmlGpuVirtualizationMode_t mode{}; PLUMBLINE_ASK(nvmlDeviceGetVirtualizationMode, &mode))
    environment.virtualization = named(kVirtual, mode);
  environment.vbios =
      library_->text<decltype(nvmlDeviceGetVbiosVersion)>("nvmlDeviceGetVbiosVersion");
  environment.clocks_locked = clocks_setting();
  if (const unsigned links = active_links(); links > 0)
    environment.links = std::to_string(links) + " NVLinks";
  describe_errors(environment);
  // A server may serve other GPUs or start later: so this also tells where its clients would look.
  if (library_->is_open)
    environment.mps = processes().has_mps                      ? "on"
                      : std::getenv("CUDA_MPS_PIPE_DIRECTORY") ? "off, pipe directory set"
                                                               : "off";
}

unsigned Nvml::active_links() const {
  unsigned active = 0;
  nvmlEnableState_t state{};
  for (unsigned link = 0; link < NVML_NVLINK_MAX_LINKS; ++link)
    if (PLUMBLINE_ASK(nvmlDeviceGetNvLinkState, link, &state) && state == NVML_FEATURE_ENABLED)
      ++active;
  return active;
}

std::string Nvml::path_to(const std::string& uuid) const {
  static constexpr std::pair<nvmlGpuTopologyLevel_t, const char*> kPaths[] = {
      {NVML_TOPOLOGY_INTERNAL, "one board"},
      {NVML_TOPOLOGY_SINGLE, "one PCIe switch"},
      {NVML_TOPOLOGY_MULTIPLE, "several PCIe switches"},
      {NVML_TOPOLOGY_HOSTBRIDGE, "one host bridge"},
      {NVML_TOPOLOGY_NODE, "one NUMA node"},
      {NVML_TOPOLOGY_SYSTEM, "two NUMA nodes"}};
  auto* find = library_->symbol<decltype(nvmlDeviceGetHandleByUUID)>("nvmlDeviceGetHandleByUUID");
  nvmlDevice_t other{};
  nvmlGpuTopologyLevel_t found{};
  if (!library_->is_open || find(uuid.c_str(), &other) != NVML_SUCCESS ||
      !PLUMBLINE_ASK(nvmlDeviceGetTopologyCommonAncestor, other, &found))
    return "";
  for (const auto& [level, words] : kPaths)
    if (level == found) return words;
  return "";
}

/// What the GPU has counted since it was made (memory), or since the driver was loaded (links).
void Nvml::describe_errors(Environment& environment) const {
  for (const auto& [type, member] :
       {std::pair{NVML_MEMORY_ERROR_TYPE_CORRECTED, &Environment::ecc_corrected},
        {NVML_MEMORY_ERROR_TYPE_UNCORRECTED, &Environment::ecc_uncorrected}})
    if (unsigned long long count = 0;
        PLUMBLINE_ASK(nvmlDeviceGetTotalEccErrors, type, NVML_AGGREGATE_ECC, &count))
      environment.*member = std::int64_t(count);
  unsigned corrected = 0, uncorrected = 0, is_pending = 0, has_failed = 0;
  if (PLUMBLINE_ASK(nvmlDeviceGetRemappedRows, &corrected, &uncorrected, &is_pending,
                    &has_failed)) {
    environment.remapped_rows = std::int64_t(corrected) + uncorrected;
    environment.remap_pending = is_pending != 0;
    environment.remap_failed = has_failed != 0;
  }
  if (unsigned count = 0; PLUMBLINE_ASK(nvmlDeviceGetPcieReplayCounter, &count))
    environment.pcie_replays = count;
  for (const unsigned field :
       {NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL, NVML_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL,
        NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL,
        NVML_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL}) {  // each over all links
    nvmlFieldValue_t value{};
    value.fieldId = field;
    if (PLUMBLINE_ASK(nvmlDeviceGetFieldValues, 1, &value) && value.nvmlReturn == NVML_SUCCESS)
      environment.nvlink_errors =
          environment.nvlink_errors.value_or(0) + std::int64_t(value.value.ullVal);
  }
}

/// What is visible of clocks that somebody set. The driver reports locked clocks (nvidia-smi -lgc)
/// only while they limit the clock, so an empty answer proves nothing.
std::string Nvml::clocks_setting() const {
  unsigned target = 0;
  unsigned standard = 0;
  if (PLUMBLINE_ASK(nvmlDeviceGetClock, NVML_CLOCK_SM, NVML_CLOCK_ID_APP_CLOCK_TARGET, &target) &&
      PLUMBLINE_ASK(nvmlDeviceGetClock, NVML_CLOCK_SM, NVML_CLOCK_ID_APP_CLOCK_DEFAULT,
                    &standard) &&
      target != standard)
    return "application clock " + std::to_string(target) + " MHz";
  unsigned long long reasons = 0;
  const bool is_held = PLUMBLINE_ASK(nvmlDeviceGetCurrentClocksEventReasons, &reasons) &&
                       (reasons & kClockSetting) != 0;
  return is_held ? "yes" : "";
}

std::string Nvml::process_name(unsigned process_id) const {
  std::array<char, 256> name{};
  auto* get = library_->symbol<decltype(nvmlSystemGetProcessName)>("nvmlSystemGetProcessName");
  const bool is_known = get != nullptr && get(process_id, name.data(), name.size()) == NVML_SUCCESS;
  return is_known ? name.data() : "";
}

Nvml::Processes Nvml::processes() const {
  Processes found;
  for (const nvmlProcessInfo_t& process :
       library_->processes<decltype(nvmlDeviceGetComputeRunningProcesses_v3)>(
           "nvmlDeviceGetComputeRunningProcesses_v3")) {
    // The MPS server only serves its clients, which are in the other list.
    const bool is_server =
        process.pid != own_ && process_name(process.pid).find(kMpsServer) != std::string::npos;
    if (is_server)
      found.has_mps = true;
    else
      found.ids.push_back(process.pid);
  }
  for (const nvmlProcessInfo_t& process :
       library_->processes<decltype(nvmlDeviceGetMPSComputeRunningProcesses_v3)>(
           "nvmlDeviceGetMPSComputeRunningProcesses_v3")) {
    found.has_mps = true;
    found.ids.push_back(process.pid);
  }
  std::ranges::sort(found.ids);
  found.ids.erase(std::ranges::unique(found.ids).begin(), found.ids.end());
  return found;
}

std::vector<unsigned> Nvml::working_since_last_time() {
  std::vector<nvmlProcessUtilizationSample_t> samples(64);
  const auto read = [&] {
    auto count = unsigned(samples.size());
    const nvmlReturn_t code = library_->call<decltype(nvmlDeviceGetProcessUtilization)>(
        "nvmlDeviceGetProcessUtilization", samples.data(), &count, last_seen_us_);
    const bool is_short = code == NVML_ERROR_INSUFFICIENT_SIZE && count > samples.size();
    samples.resize(code == NVML_SUCCESS || is_short ? count : 0);
    return !is_short;
  };
  while (!read()) {
  }
  for (const nvmlProcessUtilizationSample_t& sample : samples)
    last_seen_us_ = std::max(last_seen_us_, sample.timeStamp);
  // If the driver used another clock than ours, all its samples would seem to be before our time.
  const bool is_our_clock = last_seen_us_ + kOldestSample_us >= wall_clock_us();
  std::vector<unsigned> ids;
  for (const nvmlProcessUtilizationSample_t& sample : samples)
    if (sample.smUtil > 0 && (!is_our_clock || sample.timeStamp >= watched_from_us_))
      ids.push_back(sample.pid);
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  return ids;
}

/// In a container, the driver's process ids may be from another namespace. Then ours is not among
/// them, and only the number of processes counts.
bool Nvml::are_foreign(std::vector<unsigned> ids, bool is_own_known) const {
  if (!is_own_known) return ids.size() > 1 + expected_children_;
  std::erase(ids, own_);
  return ids.size() > expected_children_ ||
         std::ranges::any_of(ids, [&](unsigned id) { return parent_of(id) != expected_parent_; });
}

void Nvml::expect_children(unsigned parent_id, std::size_t count) {
  expected_parent_ = parent_id;
  expected_children_ = count;
}

void Nvml::watch() { watched_from_us_ = wall_clock_us(); }

DeviceState Nvml::state() {
  DeviceState state;
  unsigned value = 0;
  state.sm_clock_hz = sm_clock_hz();
  if (PLUMBLINE_ASK(nvmlDeviceGetClockInfo, NVML_CLOCK_MEM, &value))
    state.memory_clock_hz = value * 1e6;
  if (PLUMBLINE_ASK(nvmlDeviceGetTemperature, NVML_TEMPERATURE_GPU, &value))
    state.temperature_c = value;
  nvmlFieldValue_t memory{};
  memory.fieldId = NVML_FI_DEV_MEMORY_TEMP;
  if (PLUMBLINE_ASK(nvmlDeviceGetFieldValues, 1, &memory) && memory.nvmlReturn == NVML_SUCCESS)
    state.memory_temperature_c = memory.value.uiVal;
  if (PLUMBLINE_ASK(nvmlDeviceGetPowerUsage, &value)) state.power_w = value / 1000.0;
  unsigned long long reasons = 0;
  if (PLUMBLINE_ASK(nvmlDeviceGetCurrentClocksEventReasons, &reasons))
    state.throttle = reasons_text(reasons);
  const std::vector<unsigned> present = processes().ids;
  const bool is_own_known = std::ranges::binary_search(present, own_);
  state.has_foreign_process = are_foreign(present, is_own_known);
  state.has_foreign_work = are_foreign(working_since_last_time(), is_own_known);
  return state;
}

double Nvml::energy_j() const {
  unsigned long long millijoules = 0;
  return PLUMBLINE_ASK(nvmlDeviceGetTotalEnergyConsumption, &millijoules)
             ? double(millijoules) / 1000
             : std::nan("");
}

double Nvml::sm_clock_hz() const {
  unsigned mhz = 0;
  return PLUMBLINE_ASK(nvmlDeviceGetClockInfo, NVML_CLOCK_SM, &mhz) ? mhz * 1e6 : std::nan("");
}

std::string Nvml::words_for(int code) const {
  if (code == NVML_SUCCESS) return "";
  if (library_->handle == nullptr) return "there is no libnvidia-ml.so.1, or no driver";
  if (!library_->is_open) return "NVML does not know this GPU";
  auto* words = library_->symbol<decltype(nvmlErrorString)>("nvmlErrorString");
  return words ? words(static_cast<nvmlReturn_t>(code)) : "NVML error " + std::to_string(code);
}

std::string Nvml::lock_sm_clock(unsigned mhz) {
  const unsigned limit = mhz == 0 ? unsigned(NVML_CLOCK_LIMIT_ID_TDP) : mhz;
  return words_for(library_->call<decltype(nvmlDeviceSetGpuLockedClocks)>(
      "nvmlDeviceSetGpuLockedClocks", limit, limit));
}

std::string Nvml::unlock_sm_clock() {
  return words_for(
      library_->call<decltype(nvmlDeviceResetGpuLockedClocks)>("nvmlDeviceResetGpuLockedClocks"));
}

}  // namespace plumbline::cuda
