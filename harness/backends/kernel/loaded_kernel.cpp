#include "backends/kernel/loaded_kernel.h"

#include <array>

#include "backends/kernel/load_failure.h"
#include "core/error.h"
#include "device/cuda/kernels.h"

namespace plumbline {
namespace {

using cuda::check;

/// Compute capability 9.0; larger clusters than eight blocks have to be allowed.
constexpr int kFirstWithClusters = 9;
constexpr std::int64_t kMostClusterBlocks = 16;

std::vector<std::string> kernels_in(cudaLibrary_t library) {
  unsigned count = 0;
  check(cudaLibraryGetKernelCount(&count, library), "cudaLibraryGetKernelCount");
  std::vector<cudaKernel_t> kernels(count);
  check(cudaLibraryEnumerateKernels(kernels.data(), count, library), "cudaLibraryEnumerateKernels");
  std::vector<std::string> names;
  for (const cudaKernel_t kernel : kernels) {
    const char* name = nullptr;
    check(cudaFuncGetName(&name, reinterpret_cast<const void*>(kernel)), "cudaFuncGetName");
    names.emplace_back(name);
  }
  return names;
}

}  // namespace

LoadedKernel::LoadedKernel(const std::string& image, const std::string& symbol,
                           const std::string& name)
    : name_(name) {
  load(image);
  // Code is loaded lazily, so each of these calls may find that it does not fit.
  const cudaError_t code = cudaLibraryGetKernel(&kernel_, library_, symbol.c_str());
  refuse_unfit(code);
  if (code != cudaSuccess) {
    cudaGetLastError();
    std::string known;
    for (const std::string& found : kernels_in(library_))
      known += (known.empty() ? "" : ", ") + found;
    unload();
    throw Error("'" + symbol + "' is no kernel of " + name + "; it has: " + known);
  }
  cudaFuncAttributes attributes{};
  const cudaError_t loaded = cudaFuncGetAttributes(&attributes, function());  // loads it
  refuse_unfit(loaded);
  check(loaded, "cudaFuncGetAttributes");
}

void LoadedKernel::load(const std::string& image) {
  const cudaError_t code =
      cudaLibraryLoadData(&library_, image.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  refuse_unfit(code);
  check(code, ("cudaLibraryLoadData of " + name_).c_str());
}

void LoadedKernel::refuse_unfit(cudaError_t code) {
  try {
    throw_load_failure(code, name_);
  } catch (...) {
    // None of these errors breaks the context. Clear the error, or the next caller would see it.
    cudaGetLastError();
    unload();
    throw;
  }
}

void LoadedKernel::unload() {
  if (library_ != nullptr) cudaLibraryUnload(library_);
  library_ = nullptr;
}

LoadedKernel::~LoadedKernel() { unload(); }

std::vector<KernelParameter> LoadedKernel::parameters() const {
  std::vector<KernelParameter> parameters;
  for (;;) {
    KernelParameter parameter;
    const cudaError_t code =
        cudaFuncGetParamInfo(function(), parameters.size(), &parameter.offset, &parameter.size);
    if (code == cudaErrorInvalidValue) {  // the index after the last parameter
      cudaGetLastError();
      return parameters;
    }
    check(code, "cudaFuncGetParamInfo");
    parameters.push_back(parameter);
  }
}

LaunchLimits LoadedKernel::limits(const LaunchShape& shape) const {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, function()), "cudaFuncGetAttributes");
  LaunchLimits limits;
  for (std::size_t i = 0; i < 3; ++i) {
    limits.grid.at(i) = properties.maxGridSize[i];
    limits.block.at(i) = properties.maxThreadsDim[i];
  }
  limits.device_threads = properties.maxThreadsPerBlock;
  limits.kernel_threads = attributes.maxThreadsPerBlock;
  limits.shared_bytes = std::int64_t(properties.sharedMemPerBlockOptin);
  limits.static_shared_bytes = std::int64_t(attributes.sharedSizeBytes);
  limits.registers = attributes.numRegs;
  limits.cluster_blocks = properties.major >= kFirstWithClusters ? kMostClusterBlocks : 0;
  if (!shape.is_cooperative) return limits;
  int of_one = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, function(), int(shape.threads()),
                                                      std::size_t(shape.shared_bytes)),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  limits.blocks_at_once = std::int64_t(of_one) * properties.multiProcessorCount;
  return limits;
}

void LoadedKernel::allow_shared(std::int64_t bytes) {
  check(cudaFuncSetAttribute(function(), cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)),
        ("cudaFuncSetAttribute of " + name_).c_str());
}

void LoadedKernel::allow_large_clusters() {
  check(cudaFuncSetAttribute(function(), cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
        ("cudaFuncSetAttribute of " + name_).c_str());
}

void LoadedKernel::launch(const LaunchShape& shape, void** arguments, cudaStream_t stream) const {
  const auto size = [](const std::array<std::int64_t, 3>& sizes) {
    return dim3(unsigned(sizes[0]), unsigned(sizes[1]), unsigned(sizes[2]));
  };
  cudaLaunchConfig_t config{};
  config.gridDim = size(shape.grid);
  config.blockDim = size(shape.block);
  config.dynamicSmemBytes = std::size_t(shape.shared_bytes);
  config.stream = stream;
  std::array<cudaLaunchAttribute, 3> attributes{};
  config.attrs = attributes.data();
  const auto add = [&](cudaLaunchAttributeID id) -> cudaLaunchAttributeValue& {
    cudaLaunchAttribute& attribute = attributes.at(config.numAttrs++);
    attribute.id = id;
    return attribute.val;
  };
  if (shape.blocks_of_cluster() > 1) {
    cudaLaunchAttributeValue& value = add(cudaLaunchAttributeClusterDimension);
    value.clusterDim = {unsigned(shape.cluster[0]), unsigned(shape.cluster[1]),
                        unsigned(shape.cluster[2])};
  }
  if (shape.is_cooperative) add(cudaLaunchAttributeCooperative).cooperative = 1;
  if (shape.is_dependent)
    add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed =
        1;
  const cudaError_t code = cudaLaunchKernelExC(&config, function(), arguments);
  if (code != cudaSuccess) check(code, ("launch of " + name_).c_str());
}

}  // namespace plumbline
