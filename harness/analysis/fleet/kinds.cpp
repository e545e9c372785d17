#include "analysis/fleet/kinds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/fleet/gap.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostKinds = 4, kLeastDevices = 8, kLeastSide = 3, kLeastHosts = 3;
constexpr double kLeastShare = 0.1, kFilledShare = 0.75;
constexpr double kLeastGap = 0.005;
constexpr double kLeastRatio = 2.5;  // what a class must show that is too large for chance to do so

using Group = std::vector<std::size_t>;  // devices

struct Split {
  std::size_t family = 0;
  double ratio = 0, at = 0;
};

/// Hosts whose devices are nearly all in `part` of the group: a kind is bought by the node.
std::size_t hosts_filled(const Group& part, const Group& group,
                         const std::vector<std::string>& hosts) {
  std::map<std::string, std::size_t> all, own;
  for (const std::size_t device : group) ++all[hosts[device]];
  for (const std::size_t device : part) ++own[hosts[device]];
  return std::size_t(std::ranges::count_if(own, [&](const auto& host) {
    return double(host.second) >= kFilledShare * double(all[host.first]);
  }));
}

/// The devices of a group on both sides of a value; those without one are with the larger side.
std::pair<Group, Group> divided(const Group& group, const std::vector<std::vector<double>>& values,
                                const Split& split) {
  Group low, high, unknown;
  for (const std::size_t device : group) {
    const double value = values[device][split.family];
    (std::isnan(value) ? unknown : value < split.at ? low : high).push_back(device);
  }
  if (low.size() < high.size()) std::swap(low, high);
  low.insert(low.end(), unknown.begin(), unknown.end());
  return {std::move(low), std::move(high)};
}

/// The clearest split of a group, or one with ratio 0.
Split split_of(const Group& group, const std::vector<std::vector<double>>& values,
               const std::vector<std::string>& hosts, double rate) {
  Split best;
  if (group.size() < kLeastDevices) return best;
  const std::size_t families = values[group.front()].size();
  const bool are_hosts_known =
      std::ranges::none_of(group, [&](std::size_t device) { return hosts[device].empty(); });
  std::map<std::size_t, double> thresholds;  // by the number of values
  for (std::size_t family = 1; family < families; ++family) {
    std::vector<double> known;
    for (const std::size_t device : group)
      if (!std::isnan(values[device][family])) known.push_back(values[device][family]);
    if (known.size() < kLeastDevices) continue;
    std::ranges::sort(known);
    const std::size_t least =
        std::max(kLeastSide, std::size_t(std::ceil(kLeastShare * double(known.size()))));
    const Gap gap = widest_gap(known, least);
    if (gap.ratio <= std::max(best.ratio, kLeastRatio) || gap.high - gap.low < kLeastGap) continue;
    const auto [place, is_new] = thresholds.try_emplace(known.size());
    if (is_new)
      place->second =
          gap_threshold(known.size(), least, std::max(1e-4, rate / double(families - 1)));
    const Split split{family, gap.ratio, (gap.low + gap.high) / 2};
    if (gap.ratio <= place->second) continue;
    if (are_hosts_known &&
        hosts_filled(divided(group, values, split).second, group, hosts) < kLeastHosts)
      continue;
    best = split;
  }
  return best;
}

}  // namespace

DeviceKinds kinds_of(const std::vector<std::vector<double>>& values,
                     const std::vector<std::string>& hosts, double rate) {
  DeviceKinds kinds;
  kinds.kind.resize(values.size());
  std::vector<Group> open(1), done;
  open.front().resize(values.size());
  std::iota(open.front().begin(), open.front().end(), std::size_t(0));
  while (!open.empty()) {
    Group group = std::move(open.back());
    open.pop_back();
    const Split split =
        open.size() + done.size() + 1 < kMostKinds ? split_of(group, values, hosts, rate) : Split{};
    if (split.ratio == 0) {
      done.push_back(std::move(group));
      continue;
    }
    if (kinds.family == 0) kinds.family = split.family;
    auto [larger, smaller] = divided(group, values, split);
    open.push_back(std::move(larger));
    open.push_back(std::move(smaller));
  }
  std::ranges::stable_sort(done, std::ranges::greater{}, &Group::size);
  for (std::size_t kind = 0; kind < done.size(); ++kind)
    for (const std::size_t device : done[kind]) kinds.kind[device] = kind;
  kinds.count = done.size();
  return kinds;
}

}  // namespace plumbline
