#include "core/run/policy.h"

#include <algorithm>

#include "core/run/metric.h"
#include "core/value.h"

namespace plumbline {
namespace {

PolicyField number_field(std::string_view name, PolicyMember member, double minimum, double maximum,
                         std::string_view doc) {
  return {name, member, minimum, maximum, {}, doc};
}

PolicyField list_field(std::string_view name, PolicyMember member,
                       std::vector<std::string_view> allowed, std::string_view doc) {
  return {name, member, 0, 0, std::move(allowed), doc};
}

}  // namespace

std::span<const PolicyField> policy_fields() {
  static const std::vector<PolicyField> kPolicyFields{
      list_field("metrics", &Policy::metrics, measurement_names(),
                 "what to measure on a GPU (a CPU has wall_time): gpu_time by events, kernel_time "
                 "by CUPTI, host_time to enqueue, graph_time per replay, memory of LibTorch's "
                 "allocator, energy, counters of the hardware"),
      list_field("cache", &Policy::cache, {"cold", "cold_write", "hot"},
                 "cache states to measure on a GPU, each a metric of its own: cold evicts L2 by "
                 "reads before every launch, cold_write by writes, hot launches back to back"),
      number_field("rounds", &Policy::rounds, 1, 1000,
                   "passes over all cases in random order, each in a fresh worker process"),
      number_field("blocks_min", &Policy::blocks_min, 2, 4096,
                   "fewest blocks (placements in memory) of a visit"),
      number_field("blocks_max", &Policy::blocks_max, 2, 4096,
                   "most blocks of a visit, if the precision is not reached before"),
      number_field("samples", &Policy::samples, 1, 10000, "samples taken in a block"),
      number_field(
          "precision", &Policy::precision, 0, 1,
          "a visit ends once the 95 % interval of its mean over blocks is within this fraction"),
      number_field("budget_s", &Policy::budget_s, 0.001, 3600,
                   "seconds of launches after which a visit of a metric ends, once it has "
                   "blocks_min blocks"),
      number_field("revisit", &Policy::revisit, 0, 4096,
                   "every n-th block is at the placement of an earlier one, so that placement and "
                   "time can be told apart; 0 = none"),
      number_field("warmup_s", &Policy::warmup_s, 0, 60,
                   "seconds of launches before the first sample, more until the clock is stable"),
      number_field(
          "warmup_max_s", &Policy::warmup_max_s, 0, 60,
          "seconds of launches after which measuring begins even if the clock is not stable"),
      number_field("rest", &Policy::rest, 0, 100,
                   "pause of the GPU before each cold launch, as a multiple of the launch's time "
                   "beyond 0.1 ms: keeps launches that draw much power below the power limit"),
      number_field(
          "timeout_s", &Policy::timeout_s, 0.1, 86400,
          "wall time of a visit, with set-up and verification, after which its worker is killed"),
      number_field("seed", &Policy::seed, 0, 9007199254740992.0,
                   "seed of inputs, placements and the order of cases"),
  };
  return kPolicyFields;
}

const PolicyField* policy_field(std::string_view name) {
  const auto fields = policy_fields();
  const auto found = std::ranges::find(fields, name, &PolicyField::name);
  return found == fields.end() ? nullptr : &*found;
}

namespace {

std::string field_mistake(const PolicyField& field, const Policy& policy) {
  const std::string name(field.name);
  if (const auto* list = std::get_if<std::vector<std::string> Policy::*>(&field.member)) {
    const auto& values = policy.*(*list);
    if (values.empty()) return name + " is an empty list; it needs at least one value";
    for (const std::string& value : values)
      if (std::ranges::find(field.allowed, value) == field.allowed.end())
        return name + ": '" + value + "' is not known; allowed: " + [&] {
          std::string all;
          for (const auto allowed : field.allowed)
            all += (all.empty() ? "" : ", ") + std::string(allowed);
          return all;
        }();
    return "";
  }
  const auto* integer = std::get_if<std::int64_t Policy::*>(&field.member);
  const double value =
      integer ? double(policy.*(*integer)) : policy.*std::get<double Policy::*>(field.member);
  if (value >= field.minimum && value <= field.maximum) return "";
  return name + " is " + shortest_text(value) + "; allowed: " + shortest_text(field.minimum) +
         " to " + shortest_text(field.maximum);
}

}  // namespace

std::string policy_mistake(const Policy& policy) {
  for (const PolicyField& field : policy_fields())
    if (std::string mistake = field_mistake(field, policy); !mistake.empty()) return mistake;
  if (policy.blocks_min > policy.blocks_max)
    return "blocks_min (" + std::to_string(policy.blocks_min) + ") is above blocks_max (" +
           std::to_string(policy.blocks_max) + ")";
  return "";
}

}  // namespace plumbline
