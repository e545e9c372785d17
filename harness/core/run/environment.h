/// Everything about machine, libraries and code that may explain a difference between two runs.
///
/// One table gives name, member, kind and meaning of each entry. run.json, the worker's hello, the
/// report and the diff between two runs are made from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace plumbline {

/// Unknown texts are "", other unknown members are empty.
struct Environment {
  std::string device_kind;   // cpu, cuda
  std::string device_class;  // model + power limit + MIG + ECC state
  std::string device_model;
  std::vector<std::string> device_uuids;  // several where a run uses several devices
  std::optional<std::int64_t> device_memory_bytes, device_l2_bytes;
  std::optional<std::int64_t> device_units;  // multiprocessors or logical CPUs
  std::optional<double> power_limit_w, sm_clock_max_hz, memory_clock_max_hz;
  std::optional<std::int64_t> connections;  // hardware queues: CUDA_DEVICE_MAX_CONNECTIONS
  std::optional<std::int64_t> threads;      // of a CPU
  std::string mps, compute_mode;            // sharing of the device: on, off; default, …
  std::string virtualization, vbios;        // none, passthrough, vgpu, …
  std::string pcie_max, pcie_now;           // "gen 5 x16": the most possible, and at the start
  std::string links;                        // "18 NVLinks, peer access to cuda:1 (one PCIe switch)"
  std::string clocks_locked;                // "1500 MHz", "base", …; "" = no lock is known
  std::string driver, cuda_driver, cuda_runtime, cudnn, cublas, nccl, libtorch, numerics;
  std::string cudnn_library;   // the file that was loaded, links resolved
  std::string python, triton;  // versions, where the worker runs inside Python
  std::string allocator;       // of LibTorch on the GPU, in profile stock: native, or its settings
  std::string compiler, cuda_compiler, build_type, worker_hash;
  std::string host, os, kernel, cpu;
  std::string boot_id;         // new at each boot; containers of a host share it
  std::string commit, branch;  // subject: the tree that contains the suite
  std::string harness_commit;  // Plumbline's own commit
  std::string started_by;
  std::optional<bool> ecc, mig, persistence;
  // Counted by the device over its life, read before the first case.
  std::optional<std::int64_t> ecc_corrected, ecc_uncorrected, remapped_rows;
  std::optional<std::int64_t> nvlink_errors, pcie_replays;
  std::optional<bool> remap_pending, remap_failed;  // of rows of its memory
  std::optional<bool> dirty, harness_dirty;  // the tree, and Plumbline's, differs from the commit

  /// All of device_uuids, joined by ','.
  std::string device_uuid() const;

  bool operator==(const Environment&) const = default;
};

using EnvironmentMember =
    std::variant<std::string Environment::*, std::vector<std::string> Environment::*,
                 std::optional<bool> Environment::*, std::optional<std::int64_t> Environment::*,
                 std::optional<double> Environment::*>;

enum class EnvironmentKind {
  identity,     // which device: results of another class cannot be compared
  environment,  // machine, driver, clocks
  subject,      // what is measured
  harness,      // what measures
  note,         // shown, never reported as a difference (branch, who started it)
};

/// How a flag is written.
struct FlagWords {
  std::string_view no, yes, both;
};
inline constexpr FlagWords kNoYes{"no", "yes", "yes or no"};
inline constexpr FlagWords kOffOn{"off", "on", "on or off"};

struct EnvironmentField {
  std::string_view name;  // key in run.json
  EnvironmentMember member;
  EnvironmentKind kind;
  std::string_view label;  // for people
  FlagWords words = kNoYes;

  /// The value as files and people see it: "132", "on", "GPU-1,GPU-2"; "" = unknown.
  std::string text(const Environment& environment) const;
  /// Sets the entry from such a text. Flags may be on, yes, true, Enabled or 1, and their
  /// opposites. Returns "", or what was expected; the entry then stays unchanged.
  std::string_view read(std::string_view text, Environment& environment) const;
};

std::span<const EnvironmentField> environment_fields();

/// The row of that name, or nullptr.
const EnvironmentField* environment_field(std::string_view name);

/// Reads a flag from one of its words; nothing for other texts.
std::optional<bool> flag_of(std::string_view word);

}  // namespace plumbline
