#include "analysis/variance/case_machines.h"

namespace plumbline {
namespace {

/// The entries that relation_of() looks at.
constexpr std::string_view kMarks[]{"host", "boot_id", "kernel", "driver"};

Environment environment_of(const RunInfo& run, const MergedShard& shard,
                           const std::string& device) {
  Environment own = run.environment;
  own.device_uuids = {device};
  for (const std::string_view name : kMarks)
    if (const auto found = shard.environment.find(std::string(name));
        found != shard.environment.end())
      environment_field(name)->read(found->second, own);
  return own;
}

/// A second node with the same UUID: what they do not share is unknown, and both hosts are named.
void join(Environment& known, const Environment& other) {
  if (known.host != other.host && !(!known.boot_id.empty() && known.boot_id == other.boot_id)) {
    known.host += "," + other.host;
    known.boot_id.clear();
  }
  for (auto member : {&Environment::kernel, &Environment::driver})
    if (known.*member != other.*member) (known.*member).clear();
}

}  // namespace

CaseMachines::CaseMachines(const RunInfo& run) : whole_(run.environment) {
  for (const MergedShard& shard : run.shards)
    for (const std::string& device : shard.device_uuids) {
      const Environment own = environment_of(run, shard, device);
      const auto [place, is_new] = by_device_.try_emplace(device, own);
      if (!is_new) join(place->second, own);
    }
  if (run.shards.empty() && whole_.device_uuids.size() > 1)
    for (const std::string& device : whole_.device_uuids) {
      by_device_[device] = whole_;
      by_device_[device].device_uuids = {device};
    }
  are_several_ = by_device_.size() > 1;
  unnamed_ = whole_;
  if (are_several_) unnamed_.device_uuids.clear();
}

const Environment& CaseMachines::of(std::string_view device) const {
  if (device.empty()) return unnamed_;
  const auto found = by_device_.find(device);
  return found == by_device_.end() ? whole_ : found->second;
}

}  // namespace plumbline
