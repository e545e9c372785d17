#include "fake_cupti.h"

#include <cuda.h>
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <cstdint>
#include <span>

using plumbline::testing_support::FakeCupti;

namespace {

int storage;
constexpr std::uint8_t kSchedule = 0xab;
std::span<const std::uint8_t> schedule;

template <class Object>
Object* some() {
  return reinterpret_cast<Object*>(&storage);
}

CUptiResult answer(const char* function) {
  FakeCupti& fake = *fake_cupti();
  fake.calls.emplace_back(function);
  const auto refusal = fake.refusals.find(function);
  return refusal == fake.refusals.end() ? CUPTI_SUCCESS : CUptiResult(refusal->second);
}

}  // namespace

extern "C" {

FakeCupti* fake_cupti() {
  static FakeCupti fake;
  return &fake;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
          : result == CUPTI_ERROR_HARDWARE_BUSY         ? "CUPTI_ERROR_HARDWARE_BUSY"
                                                        : "CUPTI_ERROR_UNKNOWN";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  return answer("cuptiProfilerInitialize");
}
CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* p) {
  constexpr auto yes = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  p->architecture = p->sli = p->vGpu = p->confidentialCompute = p->cmp = p->wsl = yes;
  p->isSupported = yes;
  if (fake_cupti()->is_virtual) {
    p->vGpu = CUPTI_PROFILER_CONFIGURATION_DISABLED;
    p->isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  }
  return answer("cuptiProfilerDeviceSupported");
}
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* p) {
  p->pChipName = fake_cupti()->chip.c_str();
  return answer("cuptiDeviceGetChipName");
}
CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params* p) {
  p->counterAvailabilityImageSize = 8;
  return answer("cuptiProfilerGetCounterAvailability");
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* p) {
  p->pHostObject = some<CUpti_Profiler_Host_Object>();
  return p->pChipName == fake_cupti()->chip ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
  const auto is_known = [](const char* name) { return !fake_cupti()->lacking.contains(name); };
  return std::all_of(p->ppMetricNames, p->ppMetricNames + p->numMetrics, is_known)
             ? CUPTI_SUCCESS
             : CUPTI_ERROR_INVALID_METRIC_NAME;
}
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
  p->configImageSize = 8;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* p) {
  std::fill_n(p->pConfigImage, p->configImageSize, kSchedule);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  const std::map<std::string, double>& values = fake_cupti()->values;
  for (std::size_t i = 0; i < p->numMetrics; ++i) {
    const auto known = values.find(p->ppMetricNames[i]);
    p->pMetricValues[i] = known == values.end() ? 1 : known->second;
  }
  return answer("cuptiProfilerHostEvaluateToGpuValues");
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* p) {
  p->pRangeProfilerObject = some<CUpti_RangeProfiler_Object>();
  const CUptiResult code = answer("cuptiRangeProfilerEnable");
  fake_cupti()->is_enabled = code == CUPTI_SUCCESS;
  return code;
}
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  fake_cupti()->is_enabled = false;
  return answer("cuptiRangeProfilerDisable");
}
CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
  p->counterDataSize = 8;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* p) {
  const bool is_ours = p->range == CUPTI_UserRange && p->replayMode == CUPTI_UserReplay;
  fake_cupti()->pass = 0;
  schedule = {p->pConfig, p->configSize};
  return is_ours ? answer("cuptiRangeProfilerSetConfig") : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  // The real one reads the schedule here.
  const bool is_there = std::ranges::all_of(schedule, [](auto byte) { return byte == kSchedule; });
  const CUptiResult code = is_there ? answer("cuptiRangeProfilerStart") : CUPTI_ERROR_UNKNOWN;
  fake_cupti()->is_started = code == CUPTI_SUCCESS;
  return code;
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* p) {
  FakeCupti& fake = *fake_cupti();
  fake.is_started = false;
  p->isAllPassSubmitted = ++fake.pass >= fake.passes;
  return answer("cuptiRangeProfilerStop");
}
CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params*) {
  return answer("cuptiRangeProfilerPushRange");
}
CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params*) {
  return answer("cuptiRangeProfilerPopRange");
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* p) {
  p->numOfRangeDropped = 0;
  return answer("cuptiRangeProfilerDecodeData");
}
CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
  p->numTotalRanges = std::size_t(fake_cupti()->ranges);
  return CUPTI_SUCCESS;
}
}
