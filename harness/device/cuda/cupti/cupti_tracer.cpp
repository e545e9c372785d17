#include "device/cuda/cupti/cupti_tracer.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "device/buffer.h"
#include "device/cuda/cupti/cupti_library.h"

namespace plumbline::cuda {
namespace {

/// Small buffers: large ones stalled launches while CUPTI delivered them.
constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  const std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

const char* direction(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "memcpy HtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "memcpy DtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "memcpy DtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "memcpy PtoP";
    default:
      return "memcpy";
  }
}

template <class Record>
Activity timed(const Record& record) {
  Activity activity;
  activity.start_ns = record.start;
  activity.end_ns = record.end;
  activity.stream = record.streamId;
  activity.graph_node = record.graphNodeId;
  return activity;
}

Activity from(const CUpti_ActivityKernel10& record) {
  Activity activity = timed(record);
  activity.name = demangled(record.name);
  activity.symbol = record.name;
  activity.is_kernel = true;
  activity.grid = {record.gridX, record.gridY, record.gridZ};
  activity.block = {record.blockX, record.blockY, record.blockZ};
  activity.registers = record.registersPerThread;
  activity.shared_static = record.staticSharedMemory;
  activity.shared_dynamic = record.dynamicSharedMemory;
  activity.local_bytes = int(record.localMemoryPerThread);
  return activity;
}

Activity from(const CUpti_ActivityMemcpy6& record) {
  Activity activity = timed(record);
  activity.name = direction(record.copyKind);
  activity.bytes = record.bytes;
  return activity;
}

Activity from(const CUpti_ActivityMemset4& record) {
  Activity activity = timed(record);
  activity.name = "memset";
  activity.bytes = record.bytes;
  return activity;
}

}  // namespace

struct CuptiTracer::Library : CuptiLibrary {
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;

  std::mutex mutex;  // CUPTI delivers buffers on its own thread
  Activities activities;
  std::size_t dropped = 0;
  std::string failure;

  void read(std::uint8_t* buffer, std::size_t valid_bytes) {
    const std::lock_guard lock(mutex);
    CUpti_Activity* record = nullptr;
    CUptiResult code = CUPTI_SUCCESS;
    while ((code = next_record(buffer, valid_bytes, &record)) == CUPTI_SUCCESS) {
      if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ||
          record->kind == CUPTI_ACTIVITY_KIND_KERNEL)
        activities.push_back(from(*reinterpret_cast<CUpti_ActivityKernel10*>(record)));
      else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
        activities.push_back(from(*reinterpret_cast<CUpti_ActivityMemcpy6*>(record)));
      else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET)
        activities.push_back(from(*reinterpret_cast<CUpti_ActivityMemset4*>(record)));
    }
    if (code != CUPTI_ERROR_MAX_LIMIT_REACHED) failure = "reading CUPTI's records: " + words(code);
  }
};

namespace {

CuptiTracer::Library* the_library = nullptr;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t, std::size_t valid_bytes) {
  if (the_library != nullptr && buffer != nullptr) {
    the_library->read(buffer, valid_bytes);
    std::size_t dropped = 0;
    if (the_library->dropped_records(context, stream, &dropped) == CUPTI_SUCCESS)
      the_library->dropped += dropped;
  }
  std::free(buffer);
}

}  // namespace

CuptiTracer::CuptiTracer() : library_(std::make_unique<Library>()) {
  Library& cupti = *library_;
  cupti.load(cupti.enable, "cuptiActivityEnable");
  cupti.load(cupti.disable, "cuptiActivityDisable");
  cupti.load(cupti.flush, "cuptiActivityFlushAll");
  cupti.load(cupti.next_record, "cuptiActivityGetNextRecord");
  cupti.load(cupti.dropped_records, "cuptiActivityGetNumDroppedRecords");
  cupti.load(cupti.register_callbacks, "cuptiActivityRegisterCallbacks");
  the_library = library_.get();
  cupti.check(cupti.register_callbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks");
  start();  // finds now what CUPTI or the driver refuses
  stop();
}

CuptiTracer::~CuptiTracer() { the_library = nullptr; }

void CuptiTracer::start() {
  for (const CUpti_ActivityKind kind : kKinds)
    library_->check(library_->enable(kind), "cuptiActivityEnable");
}

void CuptiTracer::stop() {
  for (const CUpti_ActivityKind kind : kKinds)
    library_->check(library_->disable(kind), "cuptiActivityDisable");
}

CuptiTracer::Recording CuptiTracer::take(const std::string& marker) {
  library_->check(library_->flush(0), "cuptiActivityFlushAll");
  Recording recording;
  Activities all;
  {
    const std::lock_guard lock(library_->mutex);
    all.swap(library_->activities);
    recording.failure.swap(library_->failure);
    if (library_->dropped > 0)
      recording.failure = "CUPTI lost " + std::to_string(library_->dropped) + " records";
    library_->dropped = 0;
  }
  std::ranges::stable_sort(all, {}, &Activity::start_ns);
  for (Activity& activity : all) {
    if (activity.is_kernel && activity.name == marker)
      recording.launches.emplace_back();
    else if (recording.launches.empty())
      recording.failure = "CUPTI's first record is " + activity.name + ", not a launch's mark";
    else
      recording.launches.back().push_back(std::move(activity));
  }
  return recording;
}

}  // namespace plumbline::cuda
