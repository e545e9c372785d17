#include "schedule/plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/op/op_spec.h"
#include "core/op/stream_setup.h"
#include "core/value.h"

namespace plumbline {
namespace {

/// The finalizer of splitmix64, because similar texts have FNV-1a hashes with equal high bits.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Whether any of the case's stream parameters is not at its default.
bool has_streams(const Case& c) {
  return std::ranges::any_of(c.params, [](const auto& param) {
    const auto& [key, value] = param;
    if (!key.starts_with("stream.")) return false;
    const auto spec = std::ranges::find(common_params(), key, &ParamSpec::name);
    return spec == common_params().end() || !spec->fallback || !same_value(value, *spec->fallback);
  });
}

}  // namespace

WorkerKind kind_of(const Case& c, Profile profile) {
  const bool is_in_python = c.declaration && c.declaration->python;
  const bool is_network = is_in_python && c.declaration->python->module;  // others' axes are theirs
  return {profile, stream_connections(c.params), is_in_python,
          is_network ? tensor_allocator(c.params) : TensorAllocator::arena};
}

std::uint64_t hash_of(const Case& c, std::uint64_t seed) {
  return mixed(stable_hash(c.id, stable_hash(c.suite, mixed(seed))));
}

bool is_runnable(const Case& c) { return c.excluded.empty() && c.unsupported.empty(); }

std::vector<Profile> profiles_of(const Case& c, std::string_view device_kind) {
  std::vector<Profile> profiles = profiles_for(c.policy->metrics, device_kind);
  const bool has_timing = std::ranges::count(profiles, Profile::timing) > 0;
  if (!has_timing && (profiles.empty() || has_streams(c)))
    profiles.insert(profiles.begin(), Profile::timing);
  return profiles;
}

std::vector<WorkerKind> kinds_of(const Plan& plan) {
  std::set<WorkerKind> kinds;
  for (const Case& c : plan.cases) {
    if (!is_runnable(c)) continue;
    for (const Profile profile : profiles_of(c, plan.device_kind))
      kinds.insert(kind_of(c, profile));
  }
  return {kinds.begin(), kinds.end()};
}

std::vector<std::size_t> order_of_turn(const Plan& plan, Turn turn) {
  const auto& [profile, connections, in_python, allocator] = turn.kind;
  const std::uint64_t seed =
      mixed(static_cast<std::uint64_t>(plan.seed)) + static_cast<std::uint64_t>(turn.round) + 1 +
      (static_cast<std::uint64_t>(profile) << 32) +
      (static_cast<std::uint64_t>(connections - kDefaultConnections) << 40) +
      (static_cast<std::uint64_t>(in_python) << 48) + (static_cast<std::uint64_t>(allocator) << 49);
  std::vector<std::pair<std::uint64_t, std::size_t>> keys;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Case& c = plan.cases[i];
    if (is_runnable(c) && c.policy->rounds > turn.round && kind_of(c, profile) == turn.kind &&
        std::ranges::count(profiles_of(c, plan.device_kind), profile) > 0)
      keys.emplace_back(hash_of(c, seed), i);
  }
  std::ranges::sort(keys);
  std::vector<std::size_t> order;
  for (const auto& key : keys) order.push_back(key.second);
  return order;
}

std::vector<std::size_t> spread_cases(const Plan& plan, std::size_t devices) {
  std::vector<std::pair<std::uint64_t, std::size_t>> keys;
  std::vector<std::uint64_t> visits;
  std::uint64_t all_visits = 0;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Case& c = plan.cases[i];
    keys.emplace_back(hash_of(c, 0), i);
    visits.push_back(is_runnable(c) ? static_cast<std::uint64_t>(c.policy->rounds) *
                                          profiles_of(c, plan.device_kind).size()
                                    : 0);
    all_visits += visits.back();
  }
  std::ranges::sort(keys);
  // Cases are ordered by hash and cut into equal pieces. An additional case moves the ends of the
  // pieces by at most one case; all others stay.
  std::vector<std::size_t> device_of(plan.cases.size(), 0);
  std::uint64_t visits_before = 0;
  for (const auto& [hash, i] : keys) {
    if (visits_before > 0)
      device_of[i] = std::min<std::size_t>(devices - 1, visits_before * devices / all_visits);
    visits_before += visits[i];
  }
  return device_of;
}

}  // namespace plumbline
