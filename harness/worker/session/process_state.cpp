#include "worker/session/process_state.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <cuda_runtime_api.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/run/case.h"
#include "device/cuda/kernels.h"
#include "worker/session/numerics.h"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace plumbline {
namespace {

std::string hexadecimal(const void* bytes, std::size_t count) {
  return stable_hash_text({static_cast<const char*>(bytes), count});
}

std::string environment_text() {
  std::string all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    all += std::string(*entry) + '\n';
  return stable_hash_text(all);
}

/// Of numbers of signals.
std::string signal_handlers(int begin, int end) {
  std::string handlers;
  for (int number = begin; number < end; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0)
      handlers += std::to_string(reinterpret_cast<std::uintptr_t>(action.sa_handler)) + ' ';
  }
  return stable_hash_text(handlers);
}

const char* on_or_off(bool value) { return value ? "on" : "off"; }

void add_process(ProcessState& state) {
  state["environment variables"] = environment_text();
  state["signal handlers"] = signal_handlers(1, SIGRTMIN);
  state[std::string(kMemoryFaultHandlers)] =
      signal_handlers(SIGSEGV, SIGSEGV + 1) + signal_handlers(SIGBUS, SIGBUS + 1);
  state["scheduling policy"] = std::to_string(sched_getscheduler(0));
  cpu_set_t processors;
  std::memset(&processors, 0, sizeof processors);
  if (sched_getaffinity(0, sizeof processors, &processors) == 0)
    state["CPU affinity"] = hexadecimal(&processors, sizeof processors);
  state["rounding mode"] = std::to_string(std::fegetround());
#ifdef __x86_64__
  constexpr unsigned kExceptionFlags = 0x3f;  // what arithmetic leaves there
  state["floating-point control"] = std::to_string(_mm_getcsr() & ~kExceptionFlags);
#endif
  state["locale"] = std::setlocale(LC_ALL, nullptr);
  std::error_code error;
  state["working directory"] = std::filesystem::current_path(error).string();
  state["priority"] = std::to_string(getpriority(PRIO_PROCESS, 0));
}

void add_libtorch(ProcessState& state) {
  state["LibTorch's numerics"] = numerics_text();
  state["LibTorch's threads"] = std::to_string(at::get_num_threads());
  state["LibTorch's default type"] = std::string(c10::get_default_dtype().name());
  state["LibTorch's gradients"] = on_or_off(at::GradMode::is_enabled());
  state["LibTorch's inference mode"] = on_or_off(c10::InferenceMode::is_enabled());
  state["LibTorch's autocast on a GPU"] = on_or_off(at::autocast::is_autocast_enabled(at::kCUDA));
  state["LibTorch's autocast on a CPU"] = on_or_off(at::autocast::is_autocast_enabled(at::kCPU));
  state["LibTorch's use of oneDNN"] = on_or_off(at::globalContext().userEnabledMkldnn());
  state["LibTorch's allocator on a CPU"] =
      std::to_string(reinterpret_cast<std::uintptr_t>(c10::GetCPUAllocator()));
  state[std::string(kFunctionCallbacks)] = on_or_off(at::hasCallbacks());
  const auto keys = c10::impl::tls_local_dispatch_key_set();
  state["LibTorch's dispatch keys"] = std::to_string(keys.included_.raw_repr()) + " without " +
                                      std::to_string(keys.excluded_.raw_repr());
}

void add_context(ProcessState& state, cudaStream_t stream) {
  constexpr std::pair<const char*, cudaLimit> kLimits[] = {
      {"cudaLimitPrintfFifoSize", cudaLimitPrintfFifoSize},
      {"cudaLimitMallocHeapSize", cudaLimitMallocHeapSize},
      {"cudaLimitMaxL2FetchGranularity", cudaLimitMaxL2FetchGranularity},
      {"cudaLimitPersistingL2CacheSize", cudaLimitPersistingL2CacheSize}};
  for (const auto& [name, limit] : kLimits) {
    std::size_t value = 0;
    if (cudaDeviceGetLimit(&value, limit) == cudaSuccess) state[name] = std::to_string(value);
  }
  cudaFuncCache preference{};
  if (cudaDeviceGetCacheConfig(&preference) == cudaSuccess)
    state["cache configuration"] = std::to_string(int(preference));
  unsigned flags = 0;
  if (cudaGetDeviceFlags(&flags) == cudaSuccess) state["device flags"] = std::to_string(flags);
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess) state["current device"] = std::to_string(device);
  cudaStreamAttrValue window{};
  if (cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window) == cudaSuccess)
    state["the stream's access policy window"] =
        std::to_string(window.accessPolicyWindow.num_bytes) + " bytes";
  cudaGetLastError();  // an attribute that this driver does not know is no error of the case
}

}  // namespace

ProcessState process_state(void* stream) {
  ProcessState state;
  add_process(state);
  add_libtorch(state);
  if (stream != nullptr) add_context(state, static_cast<cudaStream_t>(stream));
  return state;
}

std::string changes(const ProcessState& before, const ProcessState& after) {
  std::string text;
  for (const auto& [name, value] : after) {
    const auto known = before.find(name);
    if (known == before.end() || known->second == value) continue;
    text += (text.empty() ? "" : "; ") + name + ": " + known->second + " -> " + value;
  }
  return text;
}

}  // namespace plumbline
