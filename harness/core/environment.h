/// Everything about machine, libraries and code that may explain a difference between two runs.
///
/// All values are text, "" where unknown. The table gives name, kind and meaning of each; run.json,
/// the report and the diff between two runs come from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace plumbline {

struct Environment {
  std::string device_kind;   // cpu, cuda
  std::string device_class;  // model + power limit + MIG + ECC state
  std::string device_model, device_uuid, device_memory_bytes, device_l2_bytes;
  std::string device_units;  // multiprocessors or logical CPUs
  std::string power_limit_w, ecc, mig, persistence;
  std::string mps, compute_mode;      // who may share the device: on, off; default, …
  std::string virtualization, vbios;  // none, passthrough, vgpu, …
  std::string pcie_max, pcie_now;     // "gen 5 x16": of device and slot, and at the start
  std::string connections;            // hardware queues: CUDA_DEVICE_MAX_CONNECTIONS
  std::string sm_clock_max_hz, memory_clock_max_hz;
  std::string clocks_locked;  // to what: "1500 MHz", "base", …; "" = by nobody who is known
  std::string driver, cuda_driver, cuda_runtime, cudnn, cublas, libtorch, numerics;
  std::string cudnn_library;  // the file that was loaded, links resolved
  std::string allocator;      // LibTorch's on the GPU, in profile stock: native, or its settings
  std::string compiler, cuda_compiler, build_type, worker_hash;
  std::string host, os, kernel, cpu, threads;
  std::string commit, dirty, branch;          // subject: the tree that the suite belongs to
  std::string harness_commit, harness_dirty;  // Plumbline's own
  std::string started_by;

  bool operator==(const Environment&) const = default;
};

enum class EnvironmentKind {
  identity,     // which device: other class = not comparable
  environment,  // machine, driver, clocks
  subject,      // what is measured
  harness,      // what measures
  note,         // shown, never a difference worth naming (host name, who started it)
};

struct EnvironmentField {
  std::string_view name;  // key in run.json
  std::string Environment::*member;
  EnvironmentKind kind;
  std::string_view label;  // for people
};

std::span<const EnvironmentField> environment_fields();

}  // namespace plumbline
