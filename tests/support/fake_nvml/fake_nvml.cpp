#include "fake_nvml.h"

#include <nvml.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

using plumbline::testing_support::FakeNvml;
using plumbline::testing_support::FakeSample;

namespace {

int gpu_storage;
int instance_storage;
int other_storage;
nvmlDevice_t gpu() { return reinterpret_cast<nvmlDevice_t>(&gpu_storage); }
nvmlDevice_t instance() { return reinterpret_cast<nvmlDevice_t>(&instance_storage); }
nvmlDevice_t other() { return reinterpret_cast<nvmlDevice_t>(&other_storage); }

template <class T>
nvmlReturn_t answer(nvmlDevice_t device, T* to, T value) {
  if (device != gpu()) return NVML_ERROR_INVALID_ARGUMENT;
  if (!fake_nvml()->is_supported) return NVML_ERROR_NOT_SUPPORTED;
  *to = value;
  return NVML_SUCCESS;
}

nvmlReturn_t answer(char* to, unsigned length, const std::string& text) {
  if (!fake_nvml()->is_supported) return NVML_ERROR_NOT_SUPPORTED;
  std::snprintf(to, length, "%s", text.c_str());
  return NVML_SUCCESS;
}

nvmlReturn_t answer(unsigned* count, nvmlProcessInfo_t* to, const std::vector<unsigned>& ids) {
  if (!fake_nvml()->is_supported) return NVML_ERROR_NOT_SUPPORTED;
  const bool is_enough = ids.size() <= *count;
  *count = unsigned(ids.size());
  if (!is_enough) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (const unsigned id : ids) (to++)->pid = id;
  return NVML_SUCCESS;
}

nvmlReturn_t change(const std::string& line) {
  if (std::getenv("PLUMBLINE_FAKE_NVML_REFUSES")) return NVML_ERROR_NO_PERMISSION;
  if (const char* path = std::getenv("PLUMBLINE_FAKE_NVML_LOG"))
    if (std::FILE* log = std::fopen(path, "a")) {
      std::fprintf(log, "%s\n", line.c_str());
      std::fclose(log);
    }
  return NVML_SUCCESS;
}

}  // namespace

extern "C" {

FakeNvml* fake_nvml() {
  static FakeNvml fake;
  return &fake;
}

nvmlReturn_t nvmlInit_v2() { return NVML_SUCCESS; }
nvmlReturn_t nvmlShutdown() { return NVML_SUCCESS; }
const char* nvmlErrorString(nvmlReturn_t code) {
  return code == NVML_ERROR_NO_PERMISSION ? "Insufficient Permissions" : "Another Error";
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  if (!fake_nvml()->other_uuid.empty() && fake_nvml()->other_uuid == uuid) {
    *device = other();
    return NVML_SUCCESS;
  }
  *device = fake_nvml()->uuid == uuid ? gpu() : instance();
  const bool is_known = fake_nvml()->uuid == uuid || fake_nvml()->mig_uuid == uuid;
  return is_known ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}
nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t, nvmlDevice_t* device) {
  *device = gpu();
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* to, unsigned length) {
  return answer(to, length, "580.1");
}
nvmlReturn_t nvmlSystemGetProcessName(unsigned id, char* to, unsigned length) {
  return answer(to, length, fake_nvml()->names[id]);
}
nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t, char* to, unsigned length) {
  return answer(to, length, "96.00");
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned* to) {
  return answer(device, to, 700'000u);
}
nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t* now,
                                  nvmlEnableState_t* later) {
  *later = NVML_FEATURE_DISABLED;
  return answer(device, now, NVML_FEATURE_ENABLED);
}
nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned* now, unsigned* later) {
  *later = 0;
  return answer(device, now, fake_nvml()->mig_uuid.empty() ? 0u : 1u);
}
nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t* to) {
  return answer(device, to, NVML_FEATURE_ENABLED);
}
nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t* to) {
  return answer(device, to, NVML_COMPUTEMODE_EXCLUSIVE_PROCESS);
}
nvmlReturn_t nvmlDeviceGetVirtualizationMode(nvmlDevice_t device, nvmlGpuVirtualizationMode_t* to) {
  return answer(device, to, NVML_GPU_VIRTUALIZATION_MODE_PASSTHROUGH);
}
nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t device, nvmlDevice_t second,
                                                 nvmlGpuTopologyLevel_t* to) {
  if (second != other()) return NVML_ERROR_INVALID_ARGUMENT;
  return answer(device, to, nvmlGpuTopologyLevel_t(fake_nvml()->topology));
}
nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link, nvmlEnableState_t* to) {
  return answer(device, to,
                link < fake_nvml()->nvlinks ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED);
}
nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned* to) {
  return answer(device, to, 5u);
}
nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned* to) {
  return answer(device, to, 16u);
}
nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned* to) {
  return answer(device, to, 1u);
}
nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned* to) {
  return answer(device, to, 8u);
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* to) {
  return answer(device, to, type == NVML_CLOCK_SM ? 1980u : 3201u);
}
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* to) {
  return answer(device, to, type == NVML_CLOCK_SM ? fake_nvml()->sm_mhz : 3200u);
}
nvmlReturn_t nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t, nvmlClockId_t id,
                                unsigned* to) {
  const bool is_target = id == NVML_CLOCK_ID_APP_CLOCK_TARGET;
  return answer(device, to, is_target ? fake_nvml()->app_mhz : fake_nvml()->app_default_mhz);
}
nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long* to) {
  return answer(device, to, fake_nvml()->reasons);
}
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t, unsigned* to) {
  return answer(device, to, 41u);
}
nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int, nvmlFieldValue_t* value) {
  switch (value->fieldId) {
    case NVML_FI_DEV_MEMORY_TEMP:
      value->nvmlReturn = NVML_SUCCESS;
      return answer(device, &value->value.uiVal, 52u);
    case NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL:
    case NVML_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL:
    case NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL:
      value->nvmlReturn = NVML_SUCCESS;
      return answer(device, &value->value.ullVal, fake_nvml()->link_errors);
    default:
      value->nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
      return answer(device, &value->value.uiVal, 0u);
  }
}
nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                         nvmlEccCounterType_t counter, unsigned long long* to) {
  if (counter != NVML_AGGREGATE_ECC) return answer(device, to, 0ull);
  const bool is_corrected = type == NVML_MEMORY_ERROR_TYPE_CORRECTED;
  return answer(device, to,
                is_corrected ? fake_nvml()->ecc_corrected : fake_nvml()->ecc_uncorrected);
}
nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned* corrected,
                                       unsigned* uncorrected, unsigned* pending, unsigned* failed) {
  *corrected = fake_nvml()->remapped_corrected;
  *pending = fake_nvml()->remap_pending;
  *failed = fake_nvml()->remap_failed;
  return answer(device, uncorrected, fake_nvml()->remapped_uncorrected);
}
nvmlReturn_t nvmlDeviceGetPcieReplayCounter(nvmlDevice_t device, unsigned* to) {
  return answer(device, to, 7u);
}
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* to) {
  return answer(device, to, 123'456u);
}
nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long* to) {
  return answer(device, to, 7'500ull);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t, unsigned* count,
                                                     nvmlProcessInfo_t* to) {
  return answer(count, to, fake_nvml()->processes);
}
nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t, unsigned* count,
                                                        nvmlProcessInfo_t* to) {
  return answer(count, to, fake_nvml()->mps_processes);
}
nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t, nvmlProcessUtilizationSample_t* to,
                                             unsigned* count, unsigned long long since) {
  std::vector<FakeSample> newer;
  for (const FakeSample& sample : fake_nvml()->samples)
    if (sample.time_us > since) newer.push_back(sample);
  if (newer.empty()) return NVML_ERROR_NOT_FOUND;
  const bool is_enough = newer.size() <= *count;
  *count = unsigned(newer.size());
  if (!is_enough) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (const FakeSample& sample : newer) {
    to->pid = sample.process_id;
    to->smUtil = sample.sm_percent;
    (to++)->timeStamp = sample.time_us;
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetGpuLockedClocks(nvmlDevice_t, unsigned low, unsigned high) {
  return change("lock " + std::to_string(low) + " " + std::to_string(high));
}
nvmlReturn_t nvmlDeviceResetGpuLockedClocks(nvmlDevice_t) { return change("unlock"); }
}
