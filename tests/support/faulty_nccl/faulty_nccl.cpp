/// NCCL's all-reduce with a planted fault of rank 1, for workers that are started with this library
/// in LD_PRELOAD. PLANTED_NCCL: `wrong` (a result is spoiled after each launch), `idle` (from the
/// 40th group on, nothing is sent), `dead` (the process is killed in the 40th group), `late` (rank
/// 1 begins 200 us after it was released).
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nccl.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

template <class Function>
Function* real(const char* name) {
  auto* const found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  if (found == nullptr) throw std::runtime_error(std::string("NCCL has no ") + name);
  return found;
}

std::string fault() {
  const char* const text = std::getenv("PLANTED_NCCL");
  return text != nullptr ? text : "";
}

constexpr int kLateGroup = 40;
int groups = 0;
void* spoilt = nullptr;  // rank 1's result of the present group
cudaStream_t spoilt_on = nullptr;

int rank_of(ncclComm_t comm) {
  int rank = -1;
  ncclCommUserRank(comm, &rank);
  return rank;
}

/// Whether this is the kernel that reads the clock when a rank other than the first is released.
bool begins_rank(const void* kernel) {
  int device = 0;
  const char* name = nullptr;
  cudaGetDevice(&device);
  return device > 0 && cudaFuncGetName(&name, kernel) == cudaSuccess &&
         std::strstr(name, "clock_kernel") != nullptr &&
         std::strstr(name, "_clock_kernel") == nullptr;
}

void rest(void*) { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

}  // namespace

extern "C" {

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  if (fault() == "late" && begins_rank(kernel)) cudaLaunchHostFunc(stream, rest, nullptr);
  static auto* const next = real<decltype(__cudaLaunchKernel)>("__cudaLaunchKernel");
  return next(kernel, grid, block, arguments, shared, stream);
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  if (fault() == "idle" && groups >= kLateGroup) return ncclSuccess;
  if (fault() == "dead" && groups >= kLateGroup) raise(SIGKILL);
  if (fault() == "wrong" && rank_of(comm) == 1) {
    spoilt = to;
    spoilt_on = stream;
  }
  static auto* const next = real<decltype(ncclAllReduce)>("ncclAllReduce");
  return next(from, to, count, type, op, comm, stream);
}

ncclResult_t ncclGroupEnd() {
  static auto* const next = real<decltype(ncclGroupEnd)>("ncclGroupEnd");
  const ncclResult_t code = next();
  ++groups;
  int before = 0;
  cudaGetDevice(&before);
  cudaPointerAttributes place{};
  if (spoilt != nullptr && cudaPointerGetAttributes(&place, spoilt) == cudaSuccess) {
    cudaSetDevice(place.device);
    cudaMemsetAsync(spoilt, 0, sizeof(float), spoilt_on);
    cudaSetDevice(before);
  }
  spoilt = nullptr;
  return code;
}
}
