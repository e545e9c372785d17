#include "core/run/environment.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/value.h"

namespace plumbline {
namespace {

constexpr std::string_view kYes[] = {"yes", "on", "true", "Enabled", "1"};
constexpr std::string_view kNo[] = {"no", "off", "false", "Disabled", "0"};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

std::string text_of(const std::string& text, const FlagWords&) { return text; }
std::string text_of(const std::vector<std::string>& names, const FlagWords&) {
  return joined(names);
}
std::string text_of(std::optional<bool> flag, const FlagWords& words) {
  return flag ? std::string(*flag ? words.yes : words.no) : "";
}
std::string text_of(std::optional<std::int64_t> integer, const FlagWords&) {
  return integer ? std::to_string(*integer) : "";
}
std::string text_of(std::optional<double> number, const FlagWords&) {
  return number ? shortest_text(*number) : "";
}

std::string_view read_into(std::string& value, std::string_view text, const FlagWords&) {
  value = text;
  return "";
}

std::string_view read_into(std::vector<std::string>& names, std::string_view text,
                           const FlagWords&) {
  names.clear();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    names.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma == text.npos ? text.size() : comma + 1);
  }
  return "";
}

std::string_view read_into(std::optional<bool>& flag, std::string_view text,
                           const FlagWords& words) {
  const auto read = flag_of(text);
  if (!read && !text.empty()) return words.both;
  flag = read;
  return "";
}

std::string_view read_into(std::optional<std::int64_t>& value, std::string_view text,
                           const FlagWords&) {
  std::int64_t integer = 0;
  if (!text.empty() && !parse_integer(text, integer)) return "an integer";
  value = text.empty() ? std::nullopt : std::optional(integer);
  return "";
}

std::string_view read_into(std::optional<double>& value, std::string_view text, const FlagWords&) {
  double number = 0;
  if (!text.empty() && !(parse_number(text, number) && std::isfinite(number))) return "a number";
  value = text.empty() ? std::nullopt : std::optional(number);
  return "";
}

}  // namespace

std::string Environment::device_uuid() const { return joined(device_uuids); }

std::string EnvironmentField::text(const Environment& environment) const {
  return std::visit([&](auto held) { return text_of(environment.*held, words); }, member);
}

std::string_view EnvironmentField::read(std::string_view text, Environment& environment) const {
  return std::visit([&](auto held) { return read_into(environment.*held, text, words); }, member);
}

const EnvironmentField* environment_field(std::string_view name) {
  const auto fields = environment_fields();
  const auto found = std::ranges::find(fields, name, &EnvironmentField::name);
  return found == fields.end() ? nullptr : &*found;
}

std::optional<bool> flag_of(std::string_view word) {
  const bool is_yes = std::ranges::find(kYes, word) != std::end(kYes);
  if (is_yes || std::ranges::find(kNo, word) != std::end(kNo)) return is_yes;
  return std::nullopt;
}

std::span<const EnvironmentField> environment_fields() {
  using enum EnvironmentKind;
  using E = Environment;
  static constexpr std::array kEnvironmentFields = std::to_array<EnvironmentField>({
      {"device_kind", &E::device_kind, identity, "device kind"},
      {"device_class", &E::device_class, identity, "device class"},
      {"device_model", &E::device_model, identity, "device model"},
      {"device_uuid", &E::device_uuids, environment, "device UUID"},
      {"device_memory_bytes", &E::device_memory_bytes, note, "device memory (bytes)"},
      {"device_l2_bytes", &E::device_l2_bytes, environment, "last-level cache (bytes)"},
      {"device_units", &E::device_units, identity, "multiprocessors or logical CPUs"},
      {"power_limit_w", &E::power_limit_w, environment, "power limit (W)"},
      {"ecc", &E::ecc, environment, "ECC", kOffOn},
      {"mig", &E::mig, environment, "MIG", kOffOn},
      {"persistence", &E::persistence, environment, "persistence mode", kOffOn},
      {"mps", &E::mps, environment, "multi-process service"},
      {"compute_mode", &E::compute_mode, environment, "compute mode"},
      {"virtualization", &E::virtualization, environment, "virtualization of the GPU"},
      {"vbios", &E::vbios, environment, "VBIOS"},
      {"pcie_max", &E::pcie_max, environment, "PCIe link, highest"},
      {"pcie_now", &E::pcie_now, note, "PCIe link, at the start"},
      {"links", &E::links, note, "links to other GPUs"},
      {"ecc_corrected", &E::ecc_corrected, note, "corrected memory errors"},
      {"ecc_uncorrected", &E::ecc_uncorrected, note, "uncorrected memory errors"},
      {"remapped_rows", &E::remapped_rows, note, "remapped rows of memory"},
      {"remap_pending", &E::remap_pending, note, "row remap pending"},
      {"remap_failed", &E::remap_failed, note, "row remap failed"},
      {"nvlink_errors", &E::nvlink_errors, note, "NVLink errors"},
      {"pcie_replays", &E::pcie_replays, note, "PCIe replays"},
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
      {"nccl", &E::nccl, subject, "NCCL"},
      {"libtorch", &E::libtorch, subject, "LibTorch"},
      {"python", &E::python, subject, "Python of the worker"},
      {"triton", &E::triton, subject, "Triton"},
      {"numerics", &E::numerics, subject, "numeric switches"},
      {"allocator", &E::allocator, environment, "LibTorch's allocator"},
      {"compiler", &E::compiler, subject, "compiler"},
      {"cuda_compiler", &E::cuda_compiler, subject, "CUDA compiler"},
      {"build_type", &E::build_type, subject, "build type"},
      {"worker_hash", &E::worker_hash, subject, "worker program (hash)"},
      {"host", &E::host, environment, "host"},
      {"os", &E::os, environment, "operating system"},
      {"kernel", &E::kernel, environment, "kernel"},
      {"boot_id", &E::boot_id, environment, "boot"},
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
