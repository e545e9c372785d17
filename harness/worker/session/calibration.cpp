#include "worker/session/calibration.h"

#include <ATen/Context.h>
#include <ATen/ops/_int_mm.h>
#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "device/cuda/back_to_back.h"
#include "device/cuda/calibration.h"
#include "worker/workloads/workload.h"

namespace plumbline {
namespace {

constexpr double kSlow_s = 0.05;   // products that take longer are not used
constexpr double kBatch_s = 5e-3;  // of sustained products, between two clock readings
constexpr double kBurst_s = 1e-3;  // of products in a row, after a pause of kBurstPause times this
constexpr double kBurstPause = 3;
constexpr int kBurstMax = 64;

/// Operands of a square product.
struct Square {
  Device& device;
  bool is_cuda;
  std::int64_t size;

  at::Tensor filled(DType dtype, std::uint64_t seed, const Distribution& distribution = {}) const {
    return make_tensor(device, is_cuda, {size, size}, dtype, distribution, false, seed);
  }
  at::Tensor empty_like(const at::Tensor& tensor, at::ScalarType type) const {
    return at::empty({size, size}, tensor.options().dtype(type));
  }
};

Launch plain_product(const Square& square, DType dtype) {
  const at::Tensor a = square.filled(dtype, 1);
  const at::Tensor b = square.filled(dtype, 2);
  at::Tensor out = square.empty_like(a, a.scalar_type());
  return [=]() mutable { at::mm_out(out, a, b); };
}

/// 8-bit products need the second matrix stored by columns.
Launch int8_product(const Square& square) {
  const Distribution small{Distribution::Kind::integer, -100, 100};
  const at::Tensor a = square.filled(DType::int8, 1, small);
  const at::Tensor b = square.filled(DType::int8, 2, small).t();
  at::Tensor out = square.empty_like(a, at::kInt);
  return [=]() mutable { at::_int_mm_out(out, a, b); };
}

Launch float8_product(const Square& square) {
  const at::Tensor a = square.filled(DType::float16, 1).to(at::kFloat8_e4m3fn);
  const at::Tensor b = square.filled(DType::float16, 2).to(at::kFloat8_e4m3fn).t();
  const at::Tensor one = at::ones({1}, a.options().dtype(at::kFloat));
  at::Tensor out = square.empty_like(a, at::kBFloat16);
  return [=]() mutable {
    at::_scaled_mm_out(out, a, b, one, one, {}, {}, at::kBFloat16, /*use_fast_accum=*/true);
  };
}

struct ProductKind {
  const char* name;
  Launch (*make)(const Square& square);
  bool is_tf32 = false;
};

constexpr ProductKind kProducts[] = {
    {"float64", [](const Square& s) { return plain_product(s, DType::float64); }},
    {"float32", [](const Square& s) { return plain_product(s, DType::float32); }},
    {"tf32", [](const Square& s) { return plain_product(s, DType::float32); }, true},
    {"float16", [](const Square& s) { return plain_product(s, DType::float16); }},
    {"bfloat16", [](const Square& s) { return plain_product(s, DType::bfloat16); }},
    {"int8", int8_product},
    {"float8", float8_product},
};

/// Allows TF32 during its lifetime.
class AllowTf32 {
 public:
  explicit AllowTf32(bool on) : before_(at::globalContext().allowTF32CuBLAS()) {
    if (on) at::globalContext().setAllowTF32CuBLAS(true);
  }
  ~AllowTf32() { at::globalContext().setAllowTF32CuBLAS(before_); }
  AllowTf32(const AllowTf32&) = delete;
  AllowTf32& operator=(const AllowTf32&) = delete;

 private:
  bool before_;
};

double flops_of(std::int64_t size) { return 2.0 * double(size) * double(size) * double(size); }

/// FLOP/s of short bursts of products on a GPU, of single products on a CPU. The first product is
/// not timed, because it loads code and waits for the device.
std::vector<double> burst_rates(Device& device, const Launch& product, double flops, int samples,
                                bool is_cuda) {
  product();
  device.synchronize();
  BlockPlan plan{.cache = CacheState::hot,
                 .timer = is_cuda ? Timer::events : Timer::host_clock,
                 .samples = 1,
                 .batch = 1,
                 .is_held = is_cuda};
  if (is_cuda) {
    const double once_s = device.time_block(product, plan).samples_s.front();
    plan.batch = int(std::clamp(std::ceil(kBurst_s / once_s), 1.0, double(kBurstMax)));
    plan.rest_s = kBurstPause * once_s * plan.batch;
  }
  plan.samples = samples;
  std::vector<double> rates;
  for (const double seconds : device.time_block(product, plan).samples_s)
    rates.push_back(flops / seconds);
  return rates;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// FLOP/s of products back to back, batch by batch, after power and clock have become stable.
std::vector<double> sustained_rates(Device& device, const Launch& product, double flops,
                                    double single_s, CalibrationExtent extent) {
  const bool is_full = extent == CalibrationExtent::full;
  const double settle_s = is_full ? 0.1 : 0.02;
  const double measure_s = is_full ? 0.15 : 0.04;
  const int batch = std::max(1, int(kBatch_s / single_s));
  cuda::BackToBack queue(c10::cuda::getCurrentCUDAStream().stream());
  queue.add(product, batch);
  const double begin_s = device.now_s();
  std::vector<double> rates;
  for (double before_s = begin_s; before_s - begin_s < settle_s + measure_s || rates.size() < 3;) {
    queue.add(product, batch);
    const double now_s = device.now_s();
    if (before_s - begin_s >= settle_s) rates.push_back(flops * batch / (now_s - before_s));
    before_s = now_s;
  }
  queue.finish();
  return rates;
}

/// Measures one kind of product at its fastest size.
void add_product(Calibration& calibration, Device& device, const ProductKind& kind,
                 CalibrationExtent extent) {
  const AllowTf32 numerics(kind.is_tf32);
  const std::string name = std::string("matmul_") + kind.name;
  double best = 0;
  std::int64_t best_size = 0;
  std::vector<double> best_rates;
  Launch best_product;
  for (const std::int64_t size : {2048, 4096, 8192}) {
    if (best > 0 && flops_of(size) / best > kSlow_s) break;
    const Launch product = kind.make({device, true, size});
    const std::vector<double> rates = burst_rates(device, product, flops_of(size),
                                                  extent == CalibrationExtent::full ? 5 : 3, true);
    const double rate = median_of(rates);
    // The smallest size is for its time, and for GPUs on which larger ones would take too long.
    if (rate <= best && best_size > 2048) continue;
    best = rate;
    best_size = size;
    best_rates = rates;
    best_product = product;
  }
  calibration.add(name + "_burst_flops_per_s", best_rates);
  const double flops = flops_of(best_size);
  calibration.add(name + "_flops_per_s",
                  sustained_rates(device, best_product, flops, flops / best, extent));
}

void calibrate_gpu(Calibration& calibration, Device& device, CalibrationExtent extent) {
  cuda::calibrate_device(calibration, c10::cuda::getCurrentCUDAStream().stream(),
                         device.timer_floor(), extent);
  for (const ProductKind& kind : kProducts) {
    try {
      add_product(calibration, device, kind, extent);
    } catch (const c10::Error& error) {  // this GPU or this LibTorch has no such product
      const std::string text = error.what_without_backtrace();
      calibration.absent[std::string("matmul_") + kind.name + "_flops_per_s"] =
          text.substr(0, text.find('\n'));
      device.synchronize();
    }
  }
}

void calibrate_cpu(Calibration& calibration, Device& device, CalibrationExtent extent) {
  const bool is_full = extent == CalibrationExtent::full;
  const auto cache_bytes = double(device.environment().device_l2_bytes.value_or(0));
  const double bytes = std::clamp(4 * cache_bytes, 64.0 * (1 << 20), 1024.0 * (1 << 20));
  const at::Tensor from =
      make_tensor(device, false, {std::int64_t(bytes / 4)}, DType::float32, {}, false, 1);
  at::Tensor to = at::empty_like(from);
  const int samples = is_full ? 9 : 3;
  calibration.add("copy_bytes_per_s",
                  burst_rates(
                      device, [&] { to.copy_(from); }, 2 * bytes, samples, false));
  const Square square{device, false, is_full ? 2048 : 1024};
  calibration.add("matmul_float32_flops_per_s",
                  burst_rates(device, plain_product(square, DType::float32), flops_of(square.size),
                              samples, false));
}

}  // namespace

Calibration calibrate(Device& device, bool is_cuda, CalibrationExtent extent) {
  const c10::InferenceMode no_gradients;
  Calibration calibration;
  const double begin_s = device.now_s();
  device.place(0);
  if (is_cuda)
    calibrate_gpu(calibration, device, extent);
  else
    calibrate_cpu(calibration, device, extent);
  calibration.spent_s = device.now_s() - begin_s;
  return calibration;
}

std::string to_json(const Calibration& calibration) {
  const nlohmann::json record{{"values", calibration.values},
                              {"absent", calibration.absent},
                              {"spent_s", calibration.spent_s}};
  return record.dump(1) + "\n";
}

}  // namespace plumbline
