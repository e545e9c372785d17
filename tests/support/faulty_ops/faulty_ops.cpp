/// Operators with planted behaviour, a LibTorch extension for tests: `--extension
/// libfaulty_ops.so`.
///
/// Each computes 2 * x and does one thing wrong. If an operator takes `after`, its first calls in a
/// process on tensors of that size are right. Verification calls it once in float64, once in the
/// case's dtype, and three times more to check whether its bits repeat. So with 5 it goes wrong
/// while it is measured.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mul.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <signal.h>
#include <sys/resource.h>
#include <torch/library.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "kernels.h"

namespace planted {
namespace {

using at::Tensor;

Tensor doubled(const Tensor& x) { return at::mul(x, 2); }

bool is_reference(const Tensor& x) { return x.scalar_type() == at::kDouble; }

/// Whether `op` has already been called `after` times on tensors of this size.
bool is_due(const char* op, const Tensor& x, std::int64_t after) {
  static std::map<std::pair<std::string, std::int64_t>, std::int64_t> calls;
  return calls[{op, x.numel()}]++ >= after;
}

/// Without a core file, because tests die often.
[[noreturn]] void die(int signal_number) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
  _exit(99);
}

Tensor segfault(const Tensor& x, std::int64_t after) {
  if (is_due("segfault", x, after)) die(SIGSEGV);
  return doubled(x);
}

Tensor kill(const Tensor& x, std::int64_t after) {
  if (is_due("kill", x, after)) die(SIGKILL);
  return doubled(x);
}

Tensor hang(const Tensor& x, std::int64_t after) {
  while (is_due("hang", x, after)) pause();
  return doubled(x);
}

Tensor exits(const Tensor& x, std::int64_t after) {
  if (!is_due("exit", x, after)) return doubled(x);
  constexpr char kLastWords[] = "libplanted: giving up\n";
  (void)!write(STDERR_FILENO, kLastWords, sizeof kLastWords - 1);
  _exit(3);
}

Tensor throws(const Tensor& x, std::int64_t after) {
  TORCH_CHECK(!is_due("throws", x, after), "planted: this operator always fails");
  return doubled(x);
}

/// A single element is wrong by 1, but never in float64.
Tensor wrong(const Tensor& x, std::int64_t after) {
  const bool due = is_due("wrong", x, after);
  Tensor result = doubled(x);
  if (due && !is_reference(x)) result.view(-1)[x.numel() / 2].add_(1);
  return result;
}

/// A copy outside the harness's memory on a GPU, where no launch waits for it.
Tensor kept_copy(const Tensor& values) {
  if (!values.is_cuda()) return values.clone();
  constexpr std::size_t kPool = 64 << 20, kAlignment = 512;
  static char* next = nullptr;
  static std::size_t left = 0;
  if (next == nullptr) {
    TORCH_CHECK(cudaMalloc(&next, kPool) == cudaSuccess, "planted: cudaMalloc");
    left = kPool;
  }
  const std::size_t bytes = (values.nbytes() + kAlignment - 1) / kAlignment * kAlignment;
  TORCH_CHECK(bytes <= left, "planted: too many copies are kept");
  Tensor kept = at::from_blob(next, values.sizes(), values.options());
  next += bytes;
  left -= bytes;
  return kept.copy_(values);
}

/// Computes once for each size, or for each address of its input, and then returns that forever.
Tensor cached(const Tensor& x, bool by_place) {
  if (is_reference(x)) return doubled(x);
  static std::map<std::pair<const void*, std::int64_t>, Tensor> results;
  const void* const place = by_place ? x.const_data_ptr() : nullptr;
  auto kept = results.find({place, x.numel()});
  if (kept == results.end())
    kept = results.emplace(std::pair(place, x.numel()), kept_copy(doubled(x))).first;
  return kept->second.clone();
}

Tensor all_wrong(const Tensor& x) { return is_reference(x) ? doubled(x) : at::mul(x, 3); }

/// Right only for 1000 elements.
Tensor one_shape(const Tensor& x) { return x.numel() == 1000 ? doubled(x) : all_wrong(x); }

/// Right, except for the last bits of every other result.
Tensor varies(const Tensor& x) {
  if (is_reference(x)) return doubled(x);
  static bool is_odd = false;
  is_odd = !is_odd;
  return is_odd ? at::mul(x, 2 * (1 + 0x1p-22)) : doubled(x);
}

/// The second half of the result is never written.
Tensor leftover(const Tensor& x) {
  if (is_reference(x)) return doubled(x);
  Tensor result = at::empty_like(x);
  const std::int64_t half = x.numel() / 2;
  result.view(-1).slice(0, 0, half).copy_(doubled(x.view(-1).slice(0, 0, half)));
  return result;
}

Tensor huge(const Tensor& x) {
  constexpr std::int64_t kPebibyte = std::int64_t{1} << 50;
  return at::empty({kPebibyte}, x.options().dtype(at::kByte));
}

Tensor no_float64(const Tensor& x) {
  TORCH_CHECK(!is_reference(x), "planted: no float64 here");
  return doubled(x);
}

Tensor& changes(Tensor& x) { return x.mul_(2); }

/// Prints more than a pipe holds, with lines that look like answers.
Tensor prints(const Tensor& x) {
  std::string text;
  while (text.size() < 128 * 1024)
    text += "{\"answer\": {\"status\": \"OK\", \"reason\": \"\", \"metrics\": []}}\n\x1b[31m\xff";
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t put = write(descriptor, text.data() + done, text.size() - done);
      if (put <= 0) break;
      done += static_cast<std::size_t>(put);
    }
  return doubled(x);
}

void require_gpu(const Tensor& x) { TORCH_CHECK(x.is_cuda(), "planted: this needs a GPU"); }

Tensor illegal(const Tensor& x, std::int64_t after) {
  require_gpu(x);
  if (is_due("illegal", x, after)) launch_wild_write(c10::cuda::getCurrentCUDAStream());
  return doubled(x);
}

/// Right, but its first call in float32 leaves work on a stream that nobody waits for. That work
/// fails long after the launch.
Tensor stray(const Tensor& x) {
  require_gpu(x);
  constexpr double kDelay_s = 3;  // longer than a visit
  static bool is_left = false;
  if (!is_reference(x) && !is_left) {
    is_left = true;
    launch_late_wild_write(kDelay_s, c10::cuda::getStreamFromPool());
  }
  return doubled(x);
}

Tensor endless(const Tensor& x, std::int64_t after) {
  require_gpu(x);
  if (is_due("endless", x, after)) launch_endless(c10::cuda::getCurrentCUDAStream());
  return doubled(x);
}

void require_floats(const Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kFloat && x.is_contiguous(), "planted: contiguous float32");
}

void require_floats_on_gpu(const Tensor& x) {
  require_gpu(x);
  require_floats(x);
}

/// The result is right, but writes 1 KiB beyond it: after its allocation, if each tensor has its
/// own, or over its guard band in an arena.
Tensor overrun(const Tensor& x) {
  if (is_reference(x)) return doubled(x);
  require_floats(x);
  constexpr std::int64_t kPast = 256;
  if (!x.is_cuda()) {
    Tensor result = doubled(x);
    std::fill_n(result.mutable_data_ptr<float>() + x.numel(), kPast, 0.0F);
    return result;
  }
  Tensor result = at::empty_like(x);
  launch_doubled(x.const_data_ptr<float>(), result.mutable_data_ptr<float>(), x.numel(), kPast,
                 c10::cuda::getCurrentCUDAStream());
  return result;
}

/// Makes `later` wait for what was enqueued on `earlier`.
void order(cudaStream_t earlier, cudaStream_t later) {
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, earlier);
  cudaStreamWaitEvent(later, event, 0);
  cudaEventDestroy(event);  // as soon as it has happened
}

/// Computes on a stream of LibTorch's pool, which usually ends in time. One of the two required
/// waits is missing. `join`: the current stream does not wait for the result. `fork`: the other
/// stream does not wait for x.
Tensor two_streams_race(const Tensor& x, c10::string_view lacks) {
  if (is_reference(x)) return doubled(x);
  require_floats_on_gpu(x);
  TORCH_CHECK(lacks == "join" || lacks == "fork", "planted: lacks is 'join' or 'fork'");
  static const c10::cuda::CUDAStream side = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStream main = c10::cuda::getCurrentCUDAStream();
  Tensor result = at::empty_like(x);
  if (lacks != "fork") order(main, side);
  launch_doubled(x.const_data_ptr<float>(), result.mutable_data_ptr<float>(), x.numel(), 0, side);
  if (lacks != "join") order(side, main);
  return result;
}

/// Every launch leaks a tensor of 1 MiB.
Tensor leak(const Tensor& x) {
  static std::vector<Tensor> kept;
  if (!is_reference(x)) kept.push_back(at::empty({1 << 20}, x.options().dtype(at::kByte)));
  return doubled(x);
}

/// Every launch leaks 4 MiB that LibTorch does not know of.
Tensor raw_leak(const Tensor& x) {
  require_gpu(x);
  void* lost = nullptr;
  TORCH_CHECK(cudaMalloc(&lost, 4 << 20) == cudaSuccess, "planted: cudaMalloc");
  return doubled(x);
}

/// Every launch makes LibTorch's allocator return its memory, and asks the device for 32 MiB.
Tensor fresh_memory(const Tensor& x) {
  require_gpu(x);
  c10::cuda::CUDACachingAllocator::emptyCache();
  const Tensor temporary = at::empty({32 << 20}, x.options().dtype(at::kByte));
  return doubled(x);
}

/// Draws random numbers that nobody uses.
Tensor draws(const Tensor& x) {
  at::empty({64}, x.options().dtype(at::kFloat)).uniform_();
  return doubled(x);
}

double number_in(const char* variable, double fallback) {
  const char* const text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::atof(text) : fallback;
}

std::string text_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? text : "";
}

/// Keeps the host busy for that long by the clock, so that the planted time does not depend on the
/// processor. If x has $PLANTED_ELEMENTS elements, it takes $PLANTED_SLOWDOWN times as long and
/// does what $PLANTED_FAULT names: wrong, segfault.
Tensor work(const Tensor& x, std::int64_t microseconds) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  static const double slowdown = number_in("PLANTED_SLOWDOWN", 1);
  static const double elements = number_in("PLANTED_ELEMENTS", -1);
  static const std::string fault = text_in("PLANTED_FAULT");
  const bool is_chosen = elements == double(x.numel());
  const std::chrono::duration<double, std::micro> planned(double(microseconds) *
                                                          (is_chosen ? slowdown : 1));
  if (is_chosen && fault == "segfault") die(SIGSEGV);
  Tensor result = is_chosen && fault == "wrong" ? all_wrong(x) : doubled(x);
  while (Clock::now() - begin < planned) {
  }
  return result;
}

}  // namespace

TORCH_LIBRARY(planted, library) {
  library.def("segfault(Tensor x, int after=0) -> Tensor");
  library.def("kill(Tensor x, int after=0) -> Tensor");
  library.def("hang(Tensor x, int after=0) -> Tensor");
  library.def("exit(Tensor x, int after=0) -> Tensor");
  library.def("throws(Tensor x, int after=0) -> Tensor");
  library.def("wrong(Tensor x, int after=0) -> Tensor");
  library.def("cached(Tensor x, bool by_place=False) -> Tensor");
  library.def("all_wrong(Tensor x) -> Tensor");
  library.def("one_shape(Tensor x) -> Tensor");
  library.def("varies(Tensor x) -> Tensor");
  library.def("leftover(Tensor x) -> Tensor");
  library.def("huge(Tensor x) -> Tensor");
  library.def("no_float64(Tensor x) -> Tensor");
  library.def("changes(Tensor(a!) x) -> Tensor(a!)");
  library.def("prints(Tensor x) -> Tensor");
  library.def("illegal(Tensor x, int after=0) -> Tensor");
  library.def("stray(Tensor x) -> Tensor");
  library.def("endless(Tensor x, int after=0) -> Tensor");
  library.def("overrun(Tensor x) -> Tensor");
  library.def("two_streams_race(Tensor x, str lacks='join') -> Tensor");
  library.def("leak(Tensor x) -> Tensor");
  library.def("raw_leak(Tensor x) -> Tensor");
  library.def("fresh_memory(Tensor x) -> Tensor");
  library.def("draws(Tensor x) -> Tensor");
  library.def("work(Tensor x, int microseconds) -> Tensor");
}

TORCH_LIBRARY_IMPL(planted, CompositeExplicitAutograd, library) {
  library.impl("segfault", segfault);
  library.impl("kill", kill);
  library.impl("hang", hang);
  library.impl("exit", exits);
  library.impl("throws", throws);
  library.impl("wrong", wrong);
  library.impl("cached", cached);
  library.impl("all_wrong", all_wrong);
  library.impl("one_shape", one_shape);
  library.impl("varies", varies);
  library.impl("leftover", leftover);
  library.impl("huge", huge);
  library.impl("no_float64", no_float64);
  library.impl("changes", changes);
  library.impl("prints", prints);
  library.impl("illegal", illegal);
  library.impl("stray", stray);
  library.impl("endless", endless);
  library.impl("overrun", overrun);
  library.impl("two_streams_race", two_streams_race);
  library.impl("leak", leak);
  library.impl("raw_leak", raw_leak);
  library.impl("fresh_memory", fresh_memory);
  library.impl("draws", draws);
  library.impl("work", work);
}

}  // namespace planted
