/// Implements what attach/cupti.h uses. With FAKE_CUPTI_BUSY, another tool has subscribed already.
#include "fake_activities.h"

#include <cupti.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kSlotBytes = 512;

struct State {
  std::mutex mutex;
  std::vector<std::string> pending;  // records as bytes
  std::size_t dropped = 0;
  std::int64_t now_ns = 1'000'000'000;
  std::uint32_t ranges = 0;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
};

State& state() {
  static State* const made = new State;  // outlives exit handlers
  return *made;
}

template <class Record>
void add(const Record& record) {
  static_assert(sizeof(Record) <= kSlotBytes);
  state().pending.emplace_back(reinterpret_cast<const char*>(&record), sizeof record);
}

const char* kept(const char* text) { return strdup(text); }  // CUPTI keeps names for ever

CUpti_ActivityKernel10 kernel_of(const char* name, int grid, int block) {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = kept(name);
  kernel.gridX = grid;
  kernel.blockX = block;
  kernel.gridY = kernel.gridZ = kernel.blockY = kernel.blockZ = 1;
  kernel.registersPerThread = 32;
  kernel.streamId = 7;
  return kernel;
}

}  // namespace

extern "C" {

void fake_launch(const char* name, int grid, int block, std::int64_t ns) {
  const std::lock_guard lock(state().mutex);
  CUpti_ActivityKernel10 kernel = kernel_of(name, grid, block);
  state().now_ns += 2000;
  kernel.start = std::uint64_t(state().now_ns);
  state().now_ns += ns;
  kernel.end = std::uint64_t(state().now_ns);
  add(kernel);
}

void fake_endless(const char* name) {
  const std::lock_guard lock(state().mutex);
  add(kernel_of(name, 1, 1));
}

void fake_range(const char* name, std::int64_t ns) {
  const std::lock_guard lock(state().mutex);
  CUpti_ActivityMarker2 marker{};
  marker.kind = CUPTI_ACTIVITY_KIND_MARKER;
  marker.id = ++state().ranges;
  marker.flags = CUPTI_ACTIVITY_FLAG_MARKER_START;
  marker.name = kept(name);
  marker.timestamp = std::uint64_t(state().now_ns);
  add(marker);
  marker.flags = CUPTI_ACTIVITY_FLAG_MARKER_END;
  marker.name = nullptr;
  marker.timestamp = std::uint64_t(state().now_ns += ns);
  add(marker);
}

void fake_loss(std::uint64_t records) {
  const std::lock_guard lock(state().mutex);
  state().dropped += records;
}

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
              ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
              : "another error";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(std::uint64_t* time) {
  const std::lock_guard lock(state().mutex);
  *time = std::uint64_t(state().now_ns);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*) {
  return std::getenv("FAKE_CUPTI_BUSY") ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                                        : CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  const std::lock_guard lock(state().mutex);
  if (kind != CUPTI_ACTIVITY_KIND_DEVICE) return CUPTI_SUCCESS;
  CUpti_ActivityDevice5 device{};
  device.kind = kind;
  device.name = "Fake GPU";
  device.uuid.bytes[15] = 1;
  device.numMultiprocessors = 4;
  device.globalMemorySize = 1 << 30;
  device.l2CacheSize = 1 << 20;
  add(device);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  state().request = request;
  state().complete = complete;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  while (true) {
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0, most = 0, used = 0;
    state().request(&buffer, &bytes, &most);
    {
      const std::lock_guard lock(state().mutex);
      auto& pending = state().pending;
      while (!pending.empty() && used + kSlotBytes <= bytes) {
        std::memcpy(buffer + used, pending.front().data(), pending.front().size());
        used += kSlotBytes;
        pending.erase(pending.begin());
      }
    }
    state().complete(nullptr, 0, buffer, bytes, used);
    if (used == 0) return CUPTI_SUCCESS;
  }
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid_bytes,
                                       CUpti_Activity** record) {
  auto* const before = reinterpret_cast<std::uint8_t*>(*record);
  std::uint8_t* const next = before == nullptr ? buffer : before + kSlotBytes;
  if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  const std::lock_guard lock(state().mutex);
  *dropped = state().dropped;
  state().dropped = 0;
  return CUPTI_SUCCESS;
}
}
