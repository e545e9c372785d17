#include "worker/session/process_state.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <cuda_runtime_api.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/run/case.h"
#include "device/cuda/kernels.h"
#include "worker/session/numerics.h"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace plumbline {
namespace {

std::string address_text(const void* address) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

/// torch.compile sets these when it first compiles: the folder of compiled code, an address of its
/// own.
constexpr std::string_view kOfCompilers[] = {"TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR",
                                             "_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR"};

/// Stores hashes, which show a change: values may be secrets.
void add_environment(ProcessState& state) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos ||
        std::ranges::find(kOfCompilers, text.substr(0, equals)) != std::end(kOfCompilers))
      continue;
    state["environment variable " + std::string(text.substr(0, equals))] =
        "set (" + stable_hash_text(text) + ")";
  }
}

std::string handler_text(const struct sigaction& action) {
  if (action.sa_handler == SIG_DFL) return "default";
  if (action.sa_handler == SIG_IGN) return "ignored";
  return "a function at " + address_text(reinterpret_cast<const void*>(action.sa_handler));
}

void add_signal_handlers(ProcessState& state) {
  for (int number = 1; number < SIGRTMIN; ++number) {
    struct sigaction action {};
    const char* const name = sigabbrev_np(number);
    if (name != nullptr && sigaction(number, nullptr, &action) == 0)
      state["handler of SIG" + std::string(name)] = handler_text(action);
  }
}

/// "0, 1, 2"
std::string text_of(const cpu_set_t& processors) {
  std::string text;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &processors)) text += (text.empty() ? "" : ", ") + std::to_string(i);
  return text;
}

const char* on_or_off(bool value) { return value ? "on" : "off"; }

void add_process(ProcessState& state) {
  add_environment(state);
  add_signal_handlers(state);
  state["scheduling policy"] = std::to_string(sched_getscheduler(0));
  cpu_set_t processors;
  std::memset(&processors, 0, sizeof processors);
  if (sched_getaffinity(0, sizeof processors, &processors) == 0)
    state["CPU affinity"] = text_of(processors);
  state["rounding mode"] = std::to_string(std::fegetround());
#ifdef __x86_64__
  constexpr unsigned kExceptionFlags = 0x3f;  // set by ordinary arithmetic
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
  state["LibTorch's allocator on a CPU"] = address_text(c10::GetCPUAllocator());
  state[std::string(kFunctionCallbacks)] = on_or_off(at::hasCallbacks());
  const auto keys = c10::impl::tls_local_dispatch_key_set();
  state["LibTorch's dispatch keys"] =
      c10::toString(keys.included_) + " without " + c10::toString(keys.excluded_);
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
  // A CUDA graph sets cudaDeviceLmemResizeToMax, whose behaviour is always on (CUDA's
  // documentation).
  if (cudaGetDeviceFlags(&flags) == cudaSuccess)
    state["device flags"] = std::to_string(flags & ~unsigned(cudaDeviceLmemResizeToMax));
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess) state["current device"] = std::to_string(device);
  cudaStreamAttrValue window{};
  if (cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window) == cudaSuccess)
    state["the stream's access policy window"] =
        std::to_string(window.accessPolicyWindow.num_bytes) + " bytes";
  cudaGetLastError();  // an attribute that this driver does not know is not the case's error
}

bool is_of_memory_faults(int number) { return number == SIGSEGV || number == SIGBUS; }

}  // namespace

SignalHandlers::SignalHandlers() {
  for (int number = 1; number < SIGRTMIN; ++number) {
    struct sigaction action {};
    if (!is_of_memory_faults(number) && sigaction(number, nullptr, &action) == 0)
      saved_[number] = action;
  }
}

void SignalHandlers::put_back() const {
  for (const auto& [number, action] : saved_) sigaction(number, &action, nullptr);
}

ProcessState process_state(void* stream) {
  ProcessState state;
  add_process(state);
  add_libtorch(state);
  if (stream != nullptr) add_context(state, static_cast<cudaStream_t>(stream));
  return state;
}

std::string changes(const ProcessState& before, const ProcessState& after) {
  const auto value_in = [](const ProcessState& state, const std::string& name) {
    const auto found = state.find(name);
    return found == state.end() ? "unset" : found->second;
  };
  ProcessState all = before;
  all.insert(after.begin(), after.end());
  std::string text;
  for (const auto& entry : all) {
    const std::string& name = entry.first;
    const std::string known = value_in(before, name), now = value_in(after, name);
    if (known == now) continue;
    text += (text.empty() ? "" : "; ") + name + ": " + known + " -> " + now;
  }
  return text;
}

}  // namespace plumbline
