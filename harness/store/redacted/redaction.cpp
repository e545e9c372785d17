#include "store/redacted/redaction.h"

#include <array>

namespace plumbline {
namespace {

using enum Redaction;

constexpr auto kRunRows = std::to_array<RedactionRow>({
    {"format", word},
    {"measurement_revision", word},
    {"plumbline", word},
    {"command", leave_out},
    {"asked.suites.*", path},
    {"asked.set.*", text},
    {"asked.filters.*", text},
    {"asked.tags.*", text},
    {"asked.cases.*", text},
    {"asked.policy.*", word},
    {"asked.device", text},
    {"asked.extensions.*", path},
    {"suites.*.name", word},
    {"suites.*.path", path},
    {"suites.*.hash", word},
    {"suites.*.sources.*.path", path},
    {"suites.*.sources.*.hash", word},
    {"suites.*.cases.*", word},
    {"suites.*.positions.*", word},
    {"suites.*.thresholds.*", word},
    {"suites.*.renames.*", word},
    {"suites.*.steps.*.name", word},
    {"suites.*.steps.*.phases.*", word},
    {"suites.*.steps.*.time_s", word},
    {"suites.*.steps.*.busy_s", word},
    {"suites.*.calls.*.*", word},
    {"started_at", word},
    {"finished_at", word},
    {"shard", word},
    {"balanced_by", word},
    {"selected_cases", word},
    {"planned_visits", word},
    {"shards.*.shard", word},
    {"shards.*.folder", path},
    {"shards.*.started_at", word},
    {"shards.*.finished_at", word},
    {"shards.*.results_hash", word},
    {"shards.*.device_uuids.*", device},
    {"shards.*.calibration.*", word},
    {"policy.metrics.*", word},
    {"policy.cache.*", word},
    {"policy.rounds", word},
    {"policy.blocks_min", word},
    {"policy.blocks_max", word},
    {"policy.samples", word},
    {"policy.precision", word},
    {"policy.budget_s", word},
    {"policy.revisit", word},
    {"policy.warmup_s", word},
    {"policy.warmup_max_s", word},
    {"policy.rest", word},
    {"policy.timeout_s", word},
    {"policy.seed", word},
    {"environment.device_kind", word},
    {"environment.device_class", word},
    {"environment.device_model", word},
    {"environment.device_uuid", device},
    {"environment.device_memory_bytes", word},
    {"environment.device_l2_bytes", word},
    {"environment.device_units", word},
    {"environment.power_limit_w", word},
    {"environment.ecc", word},
    {"environment.mig", word},
    {"environment.persistence", word},
    {"environment.mps", word},
    {"environment.compute_mode", word},
    {"environment.virtualization", word},
    {"environment.vbios", word},
    {"environment.pcie_max", word},
    {"environment.pcie_now", word},
    {"environment.links", word},
    {"environment.ecc_corrected", word},
    {"environment.ecc_uncorrected", word},
    {"environment.remapped_rows", word},
    {"environment.remap_pending", word},
    {"environment.remap_failed", word},
    {"environment.nvlink_errors", word},
    {"environment.pcie_replays", word},
    {"environment.connections", word},
    {"environment.sm_clock_max_hz", word},
    {"environment.memory_clock_max_hz", word},
    {"environment.clocks_locked", word},
    {"environment.driver", word},
    {"environment.cuda_driver", word},
    {"environment.cuda_runtime", word},
    {"environment.cudnn", word},
    {"environment.cudnn_library", path},
    {"environment.cublas", word},
    {"environment.nccl", word},
    {"environment.libtorch", keep},
    {"environment.python", word},
    {"environment.triton", word},
    {"environment.numerics", keep},
    {"environment.allocator", keep},
    {"environment.compiler", keep},
    {"environment.cuda_compiler", keep},
    {"environment.build_type", word},
    {"environment.worker_hash", word},
    {"environment.host", host},
    {"environment.os", keep},
    {"environment.kernel", keep},
    {"environment.boot_id", boot},
    {"environment.cpu", word},
    {"environment.threads", word},
    {"environment.commit", word},
    {"environment.dirty", word},
    {"environment.branch", branch},
    {"environment.harness_commit", word},
    {"environment.harness_dirty", word},
    {"environment.started_by", user},
    {"variables", leave_out},
    {"better.*", word},
    {"calibration.*", word},
    {"workers.*.name", worker},
    {"workers.*.round", word},
    {"workers.*.started_at", word},
    {"workers.*.calibration.*", word},
    {"workers.*.sentinel_before.*", word},
    {"workers.*.sentinel_after.*", word},
    {"workers.*.start_s.*", word},
    {"acceptance.by", user},
    {"acceptance.why", text},
    {"acceptance.at", word},
    {"acceptance.source_hash", word},
    {"acceptance.even_so", text},
    {"expected.*.suite", word},
    {"expected.*.case", word},
    {"expected.*.status", word},
    {"expected.*.reason", text},
    {"expected.*.at", path},
    {"redacted.*", word},
});

constexpr auto kResultRows = std::to_array<RedactionRow>({
    {"suite", word},
    {"case", word},
    {"op", word},
    {"backend", word},
    {"revision", word},
    {"device", device},
    {"reason", text},
    {"metric", word},
    {"unit", word},
    {"worker", worker},
    {"block_causes", word},
    {"throttle", word},
    {"kernels", keep},
    {"plan", keep},
    {"flags", word},
    {"repeats", word},
    {"code", word},
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
