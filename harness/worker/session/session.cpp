#include "worker/session/session.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>
#include <sys/utsname.h>
#include <torch/version.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "backends/code_files.h"
#include "backends/files.h"
#include "backends/libtorch/allocator_stats.h"
#include "backends/libtorch/arena_allocator.h"
#include "backends/nccl/version.h"
#include "core/error.h"
#include "core/op/allocator_choice.h"
#include "core/run/run.h"
#include "device/cpu/cpu_device.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/streams.h"
#include "worker/session/calibration.h"
#include "worker/session/numerics.h"

namespace plumbline {
namespace {

int cuda_ordinal(const std::string& device) {
  const int count = cuda::device_count();
  int ordinal = 0;
  if (device.size() > 5) {
    const char* end = device.data() + device.size();
    const auto [rest, code] = std::from_chars(device.data() + 5, end, ordinal);
    if (code != std::errc() || rest != end || device[4] != ':')
      throw Error("'" + device + "' is no device; allowed: cpu, cuda, cuda:N");
  }
  if (count == 0)
    throw Error("there is no CUDA GPU on this machine (or no driver); use --device cpu");
  if (ordinal < 0 || ordinal >= count)
    throw Error("'" + device + "': this machine has cuda:0 to cuda:" + std::to_string(count - 1));
  return ordinal;
}

/// Float32 means IEEE float32: with a library's silent TF32 it would be another problem.
void set_numerics() {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuBLAS(false);
  context.setAllowTF32CuDNN(false);
  context.setBenchmarkCuDNN(false);
}

/// Hash of the file that contains this code, a library or a program; read once.
const std::string& own_hash() {
  static const std::string hash = file_ref(library_of(reinterpret_cast<void*>(&set_numerics))).hash;
  return hash;
}

std::string os_name() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("PRETTY_NAME="))
      return line.substr(13, line.size() > 14 ? line.size() - 14 : 0);
  return "";
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(std::min(line.size(), line.find(':') + 2));
  return "";
}

/// "9.19.0" from 91900, which a library's function returns; "" if it is not loaded.
std::string version_by(const char* function) {
  auto* version = reinterpret_cast<std::size_t (*)()>(dlsym(RTLD_DEFAULT, function));
  if (version == nullptr) return "";
  const std::size_t v = version();
  return std::to_string(v / 10000) + "." + std::to_string(v % 10000 / 100) + "." +
         std::to_string(v % 100);
}

/// The file that cuDNN was loaded from: tells which of several on a machine computes.
std::string cudnn_library() {
  void* const symbol = dlsym(RTLD_DEFAULT, "cudnnGetVersion");
  return symbol == nullptr ? "" : library_of(symbol);
}

void record_software(Environment& e) {
  e.libtorch = TORCH_VERSION;
  e.cudnn = version_by("cudnnGetVersion");
  e.cudnn_library = cudnn_library();
  e.cublas = version_by("cublasLtGetVersion");
  e.nccl = nccl::version();
  e.numerics = numerics_text();
  e.compiler = std::string("g++ ") + __VERSION__;
  e.cuda_compiler = PLUMBLINE_CUDA_COMPILER;
  e.build_type = PLUMBLINE_BUILD_TYPE;
  e.worker_hash = own_hash();
  utsname system{};
  if (uname(&system) == 0) {
    e.kernel = system.release;
    e.host = system.nodename;
  }
  std::ifstream("/proc/sys/kernel/random/boot_id") >> e.boot_id;
  e.os = os_name();
  e.cpu = cpu_model();
  e.threads = at::get_num_threads();
  e.allocator = allocator_text();
}

/// The readings behind the event floor, seconds by name.
std::map<std::string, double> calibration_of(const cuda::CudaDevice& device) {
  const cuda::EventFloor& floor = device.event_floor();
  std::map<std::string, double> values{{"event_floor_s", floor.floor.seconds},
                                       {"event_floor_s_uncertainty", floor.floor.uncertainty_s}};
  for (const cuda::FloorProbe& probe : floor.probes) {
    values["event_" + probe.kernel + "_s"] = probe.by_events_s;
    if (!std::isnan(probe.by_trace_s)) values["kernel_" + probe.kernel + "_s"] = probe.by_trace_s;
  }
  if (device.context().draws > 0) {
    values["context_chain_s"] = device.context().chain_s;
    values["context_draws"] = device.context().draws;
  }
  return values;
}

/// The scheduler's fastest chain from the contexts of earlier workers.
double known_chain_s() {
  const char* const text = std::getenv(kContextChainVariable);
  double seconds = kUnknown;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), seconds);
  return seconds;
}

}  // namespace

Session::Session(const SessionOptions& options)
    : profile_(options.profile), plain_launches_(options.plain_launches) {
  set_numerics();
  is_cuda_ = options.device.starts_with("cuda");
  if (!is_cuda_ && options.device != "cpu")
    throw Error("'" + options.device + "' is no device; allowed: cpu, cuda, cuda:N");
  if (!is_cuda_ && (profile_ == Profile::trace || profile_ == Profile::counters))
    throw Error("profile '" + std::string(name_of(profile_)) +
                "' needs a GPU: CUPTI sees no work of a CPU");
  if (is_cuda_)
    open_cuda(options);
  else
    open_cpu();
  start_.end("libtorch");
  load_extensions(options.extensions);
  for (const std::string& path : options.extensions)
    std::ranges::move(library_files(path), std::back_inserter(extension_files_));
  start_.end("extensions");
  // Before the first visit: it takes memory and returns it.
  if (options.calibrates)
    calibration_.merge(calibrate(*device_, is_cuda_, CalibrationExtent::brief).values);
  start_.end("calibration");
}

void Session::open_cuda(const SessionOptions& options) {
  const bool is_sharing = options.arena == "share";
  // Multicast of NVLink can stop other users of a shared machine. NCCL reads this once.
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  auto device =
      std::make_unique<cuda::CudaDevice>(cuda_ordinal(options.device), profile_,
                                         is_sharing ? "" : options.arena, known_chain_s(), &start_);
  if (is_sharing) arena_ = device->share_arena();
  if (std::getenv("PLUMBLINE_PARTNER") != nullptr) device->expect_partner();
  if (const char* const folder = std::getenv("PLUMBLINE_CODE")) device->keep_code_in(folder);
  if (profile_ != Profile::stock && options.arena != kNoArena) place_cuda_tensors(*device);
  c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromExternal(
      device->stream(), static_cast<c10::DeviceIndex>(device->ordinal())));
  calibration_ = calibration_of(*device);
  const std::size_t arena_bytes = device->arena_bytes();
  device_ = std::move(device);
  measure_room(arena_bytes);
}

void Session::measure_room(std::size_t arena_bytes) {
  const bool is_in_arena = profile_ != Profile::stock && arena_bytes > 0;
  const auto memory = is_in_arena ? std::nullopt : device_->environment().device_memory_bytes;
  room_bytes_ = is_in_arena ? double(arena_bytes)
                            : (memory ? double(*memory) : std::numeric_limits<double>::infinity());
}

void Session::open_cpu() {
  auto device = std::make_unique<CpuDevice>();
  const std::size_t arena_bytes = device->arena_bytes();
  device_ = std::move(device);
  measure_room(arena_bytes);
  if (profile_ != Profile::stock) place_cpu_tensors(*device_);
}

void* Session::stream() const {
  return is_cuda_ ? static_cast<const cuda::CudaDevice&>(*device_).stream() : nullptr;
}

void Session::settle() {
  device_->synchronize();
  if (is_cuda_) cuda::check(cudaDeviceSynchronize(), "work on the device");
}

Counters* Session::counters() {
  return profile_ == Profile::counters ? &static_cast<cuda::CudaDevice&>(*device_) : nullptr;
}

StreamDevice& Session::streams() {
  if (streams_) return *streams_;
  auto& device = static_cast<cuda::CudaDevice&>(*device_);
  streams_ = std::make_unique<cuda::Streams>(cuda::StreamsSite{
      device.stream(), device.ordinal(), device.tracer(), device.code_of(),
      [&device](int part, int parts, cudaStream_t stream) { device.work_in(part, parts, stream); },
      [&device] { device.begin_window(); }, [&device] { return device.end_window(); }});
  return *streams_;
}

void Session::use_ranks(int count) {
  if (!is_cuda_) {
    if (count > 1)
      throw Unsupported("ranks=" + std::to_string(count) +
                        ": ranks of this op are GPUs; --device cuda has them");
    return;
  }
  auto& device = static_cast<cuda::CudaDevice&>(*device_);
  if (const std::string reason = device.use_ranks(count); !reason.empty())
    throw Unsupported(reason);
  for (int rank = 1; rank < count; ++rank)
    c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromExternal(
        device.ranks()->stream(rank),
        static_cast<c10::DeviceIndex>(device.ranks()->ordinal(rank))));
}

RaceSite Session::race_site() {
  auto& device = static_cast<cuda::CudaDevice&>(*device_);
  return {device, device.ordinal(), [&device](cudaStream_t stream) {
            device.work_in(0, 1, stream != nullptr ? stream : device.stream());
          }};
}

Hello Session::hello() {
  Hello hello;
  hello.profiles.assign(kProfileNames.begin(), kProfileNames.end());
  hello.environment = device_->environment();
  record_software(hello.environment);
  start_.end("environment");
  hello.calibration = calibration_;
  if (plain_launches_ == 0) hello.sentinel = device_->sentinel();
  start_.end("sentinel");
  hello.start_s = start_.spent_s();
  hello.arena = arena_;
  hello.measurement_revision = kMeasurementRevision;
  return hello;
}

void prepare_session(const SessionOptions& options) {
  own_hash();
  if (options.device.starts_with("cuda")) cuda::device_count();  // starts the driver
}

std::vector<std::pair<std::string, Environment>> all_devices() {
  std::vector<std::pair<std::string, Environment>> devices;
  for (int i = 0; i < cuda::device_count(); ++i)
    devices.emplace_back("cuda:" + std::to_string(i), cuda::describe(i));
  devices.emplace_back("cpu", CpuDevice().environment());
  for (auto& [name, environment] : devices) record_software(environment);
  return devices;
}

void load_extensions(const std::vector<std::string>& paths) {
  for (const std::string& path : paths)
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
      throw Error("the LibTorch extension '" + path + "' does not load: " + dlerror());
}

std::vector<std::string> operator_schemas() {
  std::vector<std::string> schemas;
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames())
    if (const auto handle = dispatcher.findSchema(name))
      schemas.push_back(c10::toString(handle->schema()));
  std::ranges::sort(schemas);
  return schemas;
}

}  // namespace plumbline
