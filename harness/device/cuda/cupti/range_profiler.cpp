#include "device/cuda/cupti/range_profiler.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "device/buffer.h"

namespace plumbline::cuda {
namespace {

constexpr const char* kRange = "launch";
/// More passes than any chip needs for the counters here: about five.
constexpr int kPassesMax = 64;

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

/// What an administrator can do about a refusal.
std::string advice(CUptiResult code) {
  if (code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
    return ": the driver lets only administrators read the GPU's counters. Run as root (in a "
           "container with the capability SYS_ADMIN), or load the module nvidia with "
           "NVreg_RestrictProfilingToAdminUsers=0";
  if (code == CUPTI_ERROR_HARDWARE_BUSY || code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    return ": another profiler uses the GPU's counters. Stop it, and measure again";
  return "";
}

DeviceError failure(const std::string& what) {
  return DeviceError(what, DeviceError::Kind::recoverable);
}

}  // namespace

struct RangeProfiler::Library : CuptiLibrary {
  explicit Library(const char* name) : CuptiLibrary(name) {
    load(initialize, "cuptiProfilerInitialize");
    load(device_supported, "cuptiProfilerDeviceSupported");
    load(chip_name, "cuptiDeviceGetChipName");
    load(availability, "cuptiProfilerGetCounterAvailability");
    load(host_initialize, "cuptiProfilerHostInitialize");
    load(host_deinitialize, "cuptiProfilerHostDeinitialize");
    load(add_metrics, "cuptiProfilerHostConfigAddMetrics");
    load(config_size, "cuptiProfilerHostGetConfigImageSize");
    load(config_image, "cuptiProfilerHostGetConfigImage");
    load(evaluate, "cuptiProfilerHostEvaluateToGpuValues");
    load(enable, "cuptiRangeProfilerEnable");
    load(disable, "cuptiRangeProfilerDisable");
    load(data_size, "cuptiRangeProfilerGetCounterDataSize");
    load(initialize_data, "cuptiRangeProfilerCounterDataImageInitialize");
    load(set_config, "cuptiRangeProfilerSetConfig");
    load(start, "cuptiRangeProfilerStart");
    load(stop, "cuptiRangeProfilerStop");
    load(push, "cuptiRangeProfilerPushRange");
    load(pop, "cuptiRangeProfilerPopRange");
    load(decode, "cuptiRangeProfilerDecodeData");
    load(data_info, "cuptiRangeProfilerGetCounterDataInfo");
  }

  void must(CUptiResult code, const char* call) const {
    if (code != CUPTI_SUCCESS)
      throw failure(std::string(call) + " says " + words(code) + advice(code));
  }

  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiProfilerDeviceSupported) device_supported = nullptr;
  decltype(&cuptiDeviceGetChipName) chip_name = nullptr;
  decltype(&cuptiProfilerGetCounterAvailability) availability = nullptr;
  decltype(&cuptiProfilerHostInitialize) host_initialize = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) host_deinitialize = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) add_metrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) config_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) config_image = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) evaluate = nullptr;
  decltype(&cuptiRangeProfilerEnable) enable = nullptr;
  decltype(&cuptiRangeProfilerDisable) disable = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) data_size = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) initialize_data = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) set_config = nullptr;
  decltype(&cuptiRangeProfilerStart) start = nullptr;
  decltype(&cuptiRangeProfilerStop) stop = nullptr;
  decltype(&cuptiRangeProfilerPushRange) push = nullptr;
  decltype(&cuptiRangeProfilerPopRange) pop = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) decode = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) data_info = nullptr;
};

/// CUPTI's knowledge of a chip: which counters it has, in which passes they are counted, and what
/// the raw data mean. Needs no GPU.
class RangeProfiler::Host {
 public:
  Host(const Library& cupti, const std::string& chip) : cupti_(cupti) {
    CUpti_Profiler_Host_Initialize_Params p{};
    p.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = chip.c_str();
    cupti_.must(cupti_.host_initialize(&p), "cuptiProfilerHostInitialize");
    object_ = p.pHostObject;
  }
  ~Host() {
    CUpti_Profiler_Host_Deinitialize_Params p{};
    p.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
    p.pHostObject = object_;
    cupti_.host_deinitialize(&p);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// False if the chip lacks one of them.
  bool add(const std::vector<std::string>& counters) {
    std::vector<const char*> names = pointers(counters);
    CUpti_Profiler_Host_ConfigAddMetrics_Params p{};
    p.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
    p.pHostObject = object_;
    p.ppMetricNames = names.data();
    p.numMetrics = names.size();
    return cupti_.add_metrics(&p) == CUPTI_SUCCESS;
  }

  /// The schedule of what was added.
  std::vector<std::uint8_t> config() const {
    CUpti_Profiler_Host_GetConfigImageSize_Params size{};
    size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
    size.pHostObject = object_;
    cupti_.must(cupti_.config_size(&size), "cuptiProfilerHostGetConfigImageSize");
    std::vector<std::uint8_t> image(size.configImageSize);
    CUpti_Profiler_Host_GetConfigImage_Params p{};
    p.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
    p.pHostObject = object_;
    p.configImageSize = image.size();
    p.pConfigImage = image.data();
    cupti_.must(cupti_.config_image(&p), "cuptiProfilerHostGetConfigImage");
    return image;
  }

  /// Values of the first range in `data`, in the order of `counters`.
  std::vector<double> values(const std::vector<std::uint8_t>& data,
                             const std::vector<std::string>& counters) const {
    std::vector<const char*> names = pointers(counters);
    std::vector<double> values(names.size(), std::nan(""));
    CUpti_Profiler_Host_EvaluateToGpuValues_Params p{};
    p.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
    p.pHostObject = object_;
    p.pCounterDataImage = data.data();
    p.counterDataImageSize = data.size();
    p.rangeIndex = 0;
    p.ppMetricNames = names.data();
    p.numMetrics = names.size();
    p.pMetricValues = values.data();
    cupti_.must(cupti_.evaluate(&p), "cuptiProfilerHostEvaluateToGpuValues");
    return values;
  }

 private:
  const Library& cupti_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

/// The profiler while it is enabled on the context. Its end disables it, whatever happened.
class RangeProfiler::Session {
 public:
  Session(const Library& cupti, CUcontext context) : cupti_(cupti) {
    CUpti_RangeProfiler_Enable_Params p{};
    p.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
    p.ctx = context;
    cupti_.must(cupti_.enable(&p), "cuptiRangeProfilerEnable");
    object_ = p.pRangeProfilerObject;
  }
  ~Session() {
    if (is_started_) stop();
    CUpti_RangeProfiler_Disable_Params p{};
    p.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE;
    p.pRangeProfilerObject = object_;
    cupti_.disable(&p);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// CUPTI reads `config` until the session ends.
  void configure(std::vector<std::uint8_t> config, const std::vector<std::string>& counters) {
    config_ = std::move(config);
    std::vector<const char*> names = pointers(counters);
    CUpti_RangeProfiler_GetCounterDataSize_Params size{};
    size.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
    size.pRangeProfilerObject = object_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    cupti_.must(cupti_.data_size(&size), "cuptiRangeProfilerGetCounterDataSize");
    data_.assign(size.counterDataSize, 0);
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params data{};
    data.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
    data.pRangeProfilerObject = object_;
    data.counterDataSize = data_.size();
    data.pCounterData = data_.data();
    cupti_.must(cupti_.initialize_data(&data), "cuptiRangeProfilerCounterDataImageInitialize");
    CUpti_RangeProfiler_SetConfig_Params p{};
    p.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
    p.pRangeProfilerObject = object_;
    p.configSize = config_.size();
    p.pConfig = config_.data();
    p.counterDataImageSize = data_.size();
    p.pCounterDataImage = data_.data();
    p.range = CUPTI_UserRange;
    p.replayMode = CUPTI_UserReplay;
    p.maxRangesPerPass = 1;
    p.numNestingLevels = 1;
    p.minNestingLevel = 1;
    p.passIndex = 0;
    p.targetNestingLevel = 1;
    cupti_.must(cupti_.set_config(&p), "cuptiRangeProfilerSetConfig");
  }

  /// Counts one pass; true if it was the last.
  bool count(const std::function<void()>& work) {
    CUpti_RangeProfiler_Start_Params begin{};
    begin.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE;
    begin.pRangeProfilerObject = object_;
    cupti_.must(cupti_.start(&begin), "cuptiRangeProfilerStart");
    is_started_ = true;
    CUpti_RangeProfiler_PushRange_Params push{};
    push.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE;
    push.pRangeProfilerObject = object_;
    push.pRangeName = kRange;
    cupti_.must(cupti_.push(&push), "cuptiRangeProfilerPushRange");
    work();
    CUpti_RangeProfiler_PopRange_Params pop{};
    pop.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE;
    pop.pRangeProfilerObject = object_;
    cupti_.must(cupti_.pop(&pop), "cuptiRangeProfilerPopRange");
    const auto [code, is_last] = stop();
    cupti_.must(code, "cuptiRangeProfilerStop");
    return is_last;
  }

  const std::vector<std::uint8_t>& decoded() {
    CUpti_RangeProfiler_DecodeData_Params p{};
    p.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
    p.pRangeProfilerObject = object_;
    cupti_.must(cupti_.decode(&p), "cuptiRangeProfilerDecodeData");
    CUpti_RangeProfiler_GetCounterDataInfo_Params info{};
    info.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    cupti_.must(cupti_.data_info(&info), "cuptiRangeProfilerGetCounterDataInfo");
    if (p.numOfRangeDropped > 0 || info.numTotalRanges != 1)
      throw failure("CUPTI has counters of " + std::to_string(info.numTotalRanges) +
                    " ranges and lost " + std::to_string(p.numOfRangeDropped) +
                    "; one was to be counted");
    return data_;
  }

 private:
  std::pair<CUptiResult, bool> stop() {
    CUpti_RangeProfiler_Stop_Params p{};
    p.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
    p.pRangeProfilerObject = object_;
    is_started_ = false;
    const CUptiResult code = cupti_.stop(&p);
    return {code, p.isAllPassSubmitted != 0};
  }

  const Library& cupti_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<std::uint8_t> config_, data_;
  bool is_started_ = false;
};

RangeProfiler::RangeProfiler(int ordinal, CUcontext context,
                             std::span<const std::string_view> wanted, const char* library)
    : library_(std::make_unique<Library>(library)), context_(context) {
  CUpti_Profiler_Initialize_Params start{};
  start.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  library_->must(library_->initialize(&start), "cuptiProfilerInitialize");
  require_support(ordinal);
  require_permission();
  CUpti_Device_GetChipName_Params chip{};
  chip.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  chip.deviceIndex = std::size_t(ordinal);
  library_->must(library_->chip_name(&chip), "cuptiDeviceGetChipName");
  chip_ = chip.pChipName;
  find_counters(wanted);
  Session(*library_, context_).configure(host_->config(), counters_);  // finds what is refused now
}

RangeProfiler::~RangeProfiler() = default;

/// Names what keeps this GPU from being profiled at all.
void RangeProfiler::require_support(int ordinal) {
  CUpti_Profiler_DeviceSupported_Params p{};
  p.structSize = CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE;
  p.cuDevice = ordinal;
  p.api = CUPTI_PROFILER_RANGE_PROFILING;
  library_->must(library_->device_supported(&p), "cuptiProfilerDeviceSupported");
  if (p.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;
  std::string why;
  for (const auto& [level, what] :
       {std::pair{p.architecture, "its architecture"}, std::pair{p.sli, "SLI"},
        std::pair{p.vGpu, "a virtual GPU without profiling"},
        std::pair{p.confidentialCompute, "confidential computing"}, std::pair{p.cmp, "its model"},
        std::pair{p.wsl, "WSL"}})
    if (level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
      why += (why.empty() ? "" : ", ") + std::string(what);
  throw failure("CUPTI cannot read the counters of this GPU" + (why.empty() ? "" : ": " + why));
}

/// The driver refuses here. It would let the profiler be enabled and configured, and refuse at the
/// first start.
void RangeProfiler::require_permission() {
  CUpti_Profiler_GetCounterAvailability_Params p{};
  p.structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE;
  p.ctx = context_;
  library_->must(library_->availability(&p), "cuptiProfilerGetCounterAvailability");
  std::vector<std::uint8_t> image(p.counterAvailabilityImageSize);
  p.pCounterAvailabilityImage = image.data();
  library_->must(library_->availability(&p), "cuptiProfilerGetCounterAvailability");
}

std::vector<std::string> RangeProfiler::known(const Library& cupti, const std::string& chip,
                                              std::span<const std::string_view> wanted) {
  std::vector<std::string> names;
  for (const std::string_view name : wanted)
    if (Host(cupti, chip).add({std::string(name)})) names.emplace_back(name);
  return names;
}

std::vector<std::string> RangeProfiler::counters_of(const std::string& chip,
                                                    std::span<const std::string_view> wanted,
                                                    const char* library) {
  return known(Library(library), chip, wanted);
}

void RangeProfiler::find_counters(std::span<const std::string_view> wanted) {
  counters_ = known(*library_, chip_, wanted);
  if (counters_.empty()) throw failure("CUPTI knows none of the counters for the chip " + chip_);
  host_ = std::make_unique<Host>(*library_, chip_);
  if (!host_->add(counters_))
    throw failure("CUPTI cannot schedule the counters of the chip " + chip_ + " together");
}

std::map<std::string, double> RangeProfiler::count(const Pass& pass) {
  Session session(*library_, context_);
  session.configure(host_->config(), counters_);
  bool is_last = false;
  for (int i = 0; i < kPassesMax && !is_last; ++i) {
    pass.before();
    is_last = session.count(pass.work);
    pass.after();
  }
  if (!is_last)
    throw failure("CUPTI wants more than " + std::to_string(kPassesMax) +
                  " passes for the counters of the chip " + chip_);
  const std::vector<double> values = host_->values(session.decoded(), counters_);
  std::map<std::string, double> by_name;
  for (std::size_t i = 0; i < counters_.size(); ++i) by_name[counters_[i]] = values[i];
  return by_name;
}

}  // namespace plumbline::cuda
