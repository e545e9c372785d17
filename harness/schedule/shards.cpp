#include "schedule/shards.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "schedule/plan.h"

namespace plumbline {
namespace {

/// A case by its position, in an order that does not depend on the other cases.
struct Placed {
  std::uint64_t hash;
  std::size_t position;
  double seconds;  // below 0: unknown
  auto operator<=>(const Placed&) const = default;
};

/// Cuts the cases into pieces of the same size. One more moves the ends of the pieces by at most
/// one case.
void cut(std::vector<Placed> cases, std::size_t count, std::vector<std::size_t>& shard_of) {
  std::ranges::sort(cases);
  for (std::size_t i = 0; i < cases.size(); ++i)
    shard_of[cases[i].position] = i * count / cases.size();
}

double median_cost(const std::vector<Placed>& cases) {
  std::vector<double> known;
  for (const Placed& c : cases)
    if (c.seconds >= 0) known.push_back(c.seconds);
  std::ranges::sort(known);
  return known.empty() ? 1 : known[known.size() / 2];
}

void balance(std::vector<Placed> cases, std::size_t count, std::vector<std::size_t>& shard_of) {
  const double median = median_cost(cases);
  std::ranges::sort(cases, {}, [](const Placed& c) {
    return std::tuple(-c.seconds, c.hash, c.position);  // unknown ones last
  });
  using Load = std::tuple<double, std::size_t, std::size_t>;  // seconds, cases, part
  std::priority_queue<Load, std::vector<Load>, std::greater<>> parts;
  for (std::size_t part = 0; part < count; ++part) parts.emplace(0, 0, part);
  for (const Placed& c : cases) {
    auto [seconds, held, part] = parts.top();
    parts.pop();
    shard_of[c.position] = part;
    parts.emplace(seconds + (c.seconds >= 0 ? c.seconds : median), held + 1, part);
  }
}

}  // namespace

std::optional<ShardNumber> shard_number(const std::string& text) {
  ShardNumber shard;
  const char* const end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, shard.index);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != '/') return std::nullopt;
  read = std::from_chars(read.ptr + 1, end, shard.count);
  const bool fits =
      read.ec == std::errc() && read.ptr == end && shard.index >= 1 && shard.index <= shard.count;
  return fits ? std::optional(shard) : std::nullopt;
}

std::string text_of(const ShardNumber& shard) {
  return std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

std::vector<std::size_t> shards_of(std::span<const Case> cases, std::size_t count,
                                   const CaseCosts& costs) {
  std::vector<Placed> runnable, others;
  bool has_costs = false;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    const auto found = costs.find({c.suite, c.id});
    const double seconds = found == costs.end() ? -1 : found->second.seconds;
    (is_runnable(c) ? runnable : others).push_back({hash_of(c, 0), i, seconds});
    has_costs |= is_runnable(c) && seconds >= 0;
  }
  if (!runnable.empty() && runnable.size() < count)
    throw Error("--shard I/" + std::to_string(count) + ": only " + std::to_string(runnable.size()) +
                " of the selected cases can be measured; expected at most as many shards");
  std::vector<std::size_t> shard_of(cases.size(), 0);
  has_costs ? balance(std::move(runnable), count, shard_of)
            : cut(std::move(runnable), count, shard_of);
  cut(std::move(others), count, shard_of);
  return shard_of;
}

}  // namespace plumbline
