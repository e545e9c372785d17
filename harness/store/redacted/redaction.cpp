#include "store/redacted/redaction.h"

#include <array>

namespace plumbline {
namespace {

using enum Redaction;

constexpr auto kRunRows = std::to_array<RedactionRow>({
    {"format", keep},
    {"measurement_revision", keep},
    {"plumbline", keep},
    {"command", leave_out},
    {"asked.suites.*", path},
    {"asked.set.*", text},
    {"asked.filters.*", text},
    {"asked.tags.*", text},
    {"asked.cases.*", text},
    {"asked.policy.*", keep},
    {"asked.device", text},
    {"asked.extensions.*", path},
    {"suites.*.name", keep},
    {"suites.*.path", path},
    {"suites.*.hash", keep},
    {"suites.*.sources.*.path", path},
    {"suites.*.sources.*.hash", keep},
    {"suites.*.cases.*", keep},
    {"suites.*.thresholds.*", keep},
    {"suites.*.renames.*", keep},
    {"suites.*.steps.*.name", keep},
    {"suites.*.steps.*.phases.*", keep},
    {"suites.*.steps.*.time_s", keep},
    {"suites.*.steps.*.busy_s", keep},
    {"suites.*.calls.*.*", keep},
    {"started_at", keep},
    {"finished_at", keep},
    {"shard", keep},
    {"policy.metrics.*", keep},
    {"policy.cache.*", keep},
    {"policy.rounds", keep},
    {"policy.blocks_min", keep},
    {"policy.blocks_max", keep},
    {"policy.samples", keep},
    {"policy.precision", keep},
    {"policy.budget_s", keep},
    {"policy.revisit", keep},
    {"policy.warmup_s", keep},
    {"policy.warmup_max_s", keep},
    {"policy.rest", keep},
    {"policy.timeout_s", keep},
    {"policy.seed", keep},
    {"environment.device_kind", keep},
    {"environment.device_class", keep},
    {"environment.device_model", keep},
    {"environment.device_uuid", device},
    {"environment.device_memory_bytes", keep},
    {"environment.device_l2_bytes", keep},
    {"environment.device_units", keep},
    {"environment.power_limit_w", keep},
    {"environment.ecc", keep},
    {"environment.mig", keep},
    {"environment.persistence", keep},
    {"environment.mps", keep},
    {"environment.compute_mode", keep},
    {"environment.virtualization", keep},
    {"environment.vbios", keep},
    {"environment.pcie_max", keep},
    {"environment.pcie_now", keep},
    {"environment.connections", keep},
    {"environment.sm_clock_max_hz", keep},
    {"environment.memory_clock_max_hz", keep},
    {"environment.clocks_locked", keep},
    {"environment.driver", keep},
    {"environment.cuda_driver", keep},
    {"environment.cuda_runtime", keep},
    {"environment.cudnn", keep},
    {"environment.cudnn_library", path},
    {"environment.cublas", keep},
    {"environment.libtorch", keep},
    {"environment.python", keep},
    {"environment.triton", keep},
    {"environment.numerics", keep},
    {"environment.allocator", keep},
    {"environment.compiler", keep},
    {"environment.cuda_compiler", keep},
    {"environment.build_type", keep},
    {"environment.worker_hash", keep},
    {"environment.host", host},
    {"environment.os", keep},
    {"environment.kernel", keep},
    {"environment.boot_id", boot},
    {"environment.cpu", keep},
    {"environment.threads", keep},
    {"environment.commit", keep},
    {"environment.dirty", keep},
    {"environment.branch", branch},
    {"environment.harness_commit", keep},
    {"environment.harness_dirty", keep},
    {"environment.started_by", user},
    {"variables", leave_out},
    {"better.*", keep},
    {"calibration.*", keep},
    {"workers.*.name", worker},
    {"workers.*.round", keep},
    {"workers.*.started_at", keep},
    {"workers.*.calibration.*", keep},
    {"workers.*.sentinel_before.*", keep},
    {"workers.*.sentinel_after.*", keep},
    {"workers.*.start_s.*", keep},
    {"acceptance.by", user},
    {"acceptance.why", text},
    {"acceptance.at", keep},
    {"acceptance.source_hash", keep},
    {"acceptance.even_so", text},
    {"expected.*.suite", keep},
    {"expected.*.case", keep},
    {"expected.*.status", keep},
    {"expected.*.reason", text},
    {"expected.*.at", path},
    {"redacted.*", keep},
});

constexpr auto kResultRows = std::to_array<RedactionRow>({
    {"suite", keep},
    {"case", keep},
    {"op", keep},
    {"backend", keep},
    {"revision", keep},
    {"device", device},
    {"reason", text},
    {"metric", keep},
    {"unit", keep},
    {"worker", worker},
    {"block_causes", keep},
    {"throttle", keep},
    {"kernels", keep},
    {"plan", keep},
    {"flags", keep},
    {"repeats", keep},
    {"code", keep},
});

}  // namespace

std::span<const RedactionRow> run_redactions() { return kRunRows; }
std::span<const RedactionRow> result_redactions() { return kResultRows; }

std::span<const std::string_view> own_words() {
  static constexpr std::string_view kWords[] = {
      "after",       "alone",  "among",  "anything",  "are",    "at",      "be",     "below",
      "but",         "by",     "can",    "cannot",    "case",   "causes",  "chance", "changed",
      "comparisons", "could",  "counts", "discarded", "faster", "for",     "from",   "is",
      "it",          "least",  "looks",  "needed",    "out",    "outside", "pairs",  "rule",
      "show",        "slower", "that",   "the",       "this",   "to",      "whole",  "\u2212"};
  return kWords;
}

std::string_view word_of(Redaction redaction) {
  switch (redaction) {
    case device:
      return "device";
    case host:
      return "host";
    case boot:
      return "boot";
    case user:
      return "user";
    case branch:
      return "branch";
    case path:
      return "path";
    case worker:
      return "worker";
    default:
      return "text";
  }
}

}  // namespace plumbline
