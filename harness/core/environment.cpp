#include "core/environment.h"

#include <array>

namespace plumbline {

std::span<const EnvironmentField> environment_fields() {
  using enum EnvironmentKind;
  using E = Environment;
  static constexpr std::array kEnvironmentFields = std::to_array<EnvironmentField>({
      {"device_kind", &E::device_kind, identity, "device kind"},
      {"device_class", &E::device_class, identity, "device class"},
      {"device_model", &E::device_model, identity, "device model"},
      {"device_uuid", &E::device_uuid, environment, "device UUID"},
      {"device_memory_bytes", &E::device_memory_bytes, note, "device memory (bytes)"},
      {"device_l2_bytes", &E::device_l2_bytes, environment, "last-level cache (bytes)"},
      {"device_units", &E::device_units, identity, "multiprocessors or logical CPUs"},
      {"power_limit_w", &E::power_limit_w, environment, "power limit (W)"},
      {"ecc", &E::ecc, environment, "ECC"},
      {"mig", &E::mig, environment, "MIG"},
      {"persistence", &E::persistence, environment, "persistence mode"},
      {"mps", &E::mps, environment, "multi-process service"},
      {"compute_mode", &E::compute_mode, environment, "compute mode"},
      {"virtualization", &E::virtualization, environment, "virtualization of the GPU"},
      {"vbios", &E::vbios, environment, "VBIOS"},
      {"pcie_max", &E::pcie_max, environment, "PCIe link, highest"},
      {"pcie_now", &E::pcie_now, note, "PCIe link, at the start"},
      {"connections", &E::connections, environment, "hardware queues"},
      {"sm_clock_max_hz", &E::sm_clock_max_hz, environment, "highest SM clock (Hz)"},
      {"memory_clock_max_hz", &E::memory_clock_max_hz, environment, "highest memory clock (Hz)"},
      {"clocks_locked", &E::clocks_locked, environment, "clocks locked"},
      {"driver", &E::driver, environment, "driver"},
      {"cuda_driver", &E::cuda_driver, environment, "CUDA of the driver"},
      {"cuda_runtime", &E::cuda_runtime, subject, "CUDA runtime"},
      {"cudnn", &E::cudnn, subject, "cuDNN"},
      {"cudnn_library", &E::cudnn_library, note, "cuDNN's file"},
      {"cublas", &E::cublas, subject, "cuBLAS"},
      {"libtorch", &E::libtorch, subject, "LibTorch"},
      {"numerics", &E::numerics, subject, "numeric switches"},
      {"allocator", &E::allocator, environment, "LibTorch's allocator"},
      {"compiler", &E::compiler, subject, "compiler"},
      {"cuda_compiler", &E::cuda_compiler, subject, "CUDA compiler"},
      {"build_type", &E::build_type, subject, "build type"},
      {"worker_hash", &E::worker_hash, subject, "worker program (hash)"},
      {"host", &E::host, note, "host"},
      {"os", &E::os, environment, "operating system"},
      {"kernel", &E::kernel, environment, "kernel"},
      {"cpu", &E::cpu, environment, "CPU"},
      {"threads", &E::threads, environment, "CPU threads used"},
      {"commit", &E::commit, subject, "commit"},
      {"dirty", &E::dirty, subject, "uncommitted changes"},
      {"branch", &E::branch, note, "branch"},
      {"harness_commit", &E::harness_commit, harness, "Plumbline's commit"},
      {"harness_dirty", &E::harness_dirty, harness, "Plumbline's uncommitted changes"},
      {"started_by", &E::started_by, note, "started by"},
  });
  return kEnvironmentFields;
}

}  // namespace plumbline
