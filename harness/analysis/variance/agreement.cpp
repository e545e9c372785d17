#include "analysis/variance/agreement.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

struct RunPair {
  std::size_t first, second;
  std::string text() const {
    return std::to_string(first + 1) + " and " + std::to_string(second + 1);
  }
};

struct Group {
  std::string name;
  std::vector<RunPair> pairs;
};

constexpr std::size_t kWithin = 0, kAcross = 1;  // in groups_of(); single pairs follow

std::vector<Group> groups_of(std::size_t runs) {
  if (runs == 0 || runs % 2 != 0)
    throw Error("pairs of runs: found " + std::to_string(runs) + (runs == 1 ? " run" : " runs") +
                ", expected an even number: the first two are a pair, the next two another");
  std::vector<Group> groups{{"within pairs", {}}, {"across pairs", {}}};
  for (std::size_t i = 0; i < runs; ++i)
    for (std::size_t j = i + 1; j < runs; ++j)
      groups[j / 2 == i / 2 ? kWithin : kAcross].pairs.push_back({i, j});
  for (const RunPair& pair : std::vector(groups[kWithin].pairs))
    groups.push_back({pair.text(), {pair}});
  return groups;
}

/// second / first − 1; nothing if either run has no estimate above 0.
std::optional<double> change_of(const CaseVariance& row, const RunPair& pair) {
  const double first = row.estimates[pair.first], second = row.estimates[pair.second];
  if (!(first > 0 && second > 0)) return std::nullopt;
  return second / first - 1;
}

bool is_long(const CaseVariance& row, const RunPair& pair, double at_least_s) {
  const double square = row.estimates[pair.first] * row.estimates[pair.second];
  return at_least_s == 0 || (row.unit == "s" && std::sqrt(square) >= at_least_s);
}

Agreement agreement_of(std::span<const CaseVariance> table, const std::string& metric,
                       const Group& group, double at_least_s) {
  Agreement found;
  found.runs = group.name;
  found.metric = metric;
  found.at_least_s = at_least_s;
  std::vector<double> sizes;
  for (const CaseVariance& row : table)
    for (const RunPair& pair : group.pairs) {
      const std::optional<double> change = change_of(row, pair);
      if (row.metric != metric || !change || !is_long(row, pair, at_least_s)) continue;
      sizes.push_back(std::abs(*change));
      if (sizes.size() > 1 && sizes.back() <= found.max) continue;
      found.max = sizes.back();
      found.max_case = row.case_id;
    }
  found.count = sizes.size();
  if (sizes.empty()) return found;
  found.median = median(sizes);
  found.p90 = quantile(sizes, 0.9);
  found.p99 = quantile(sizes, 0.99);
  return found;
}

std::vector<Departure> departures_of(std::span<const CaseVariance> table,
                                     const std::vector<Group>& groups, double limit) {
  std::vector<Departure> found;
  for (std::size_t i = 0; i < table.size(); ++i)
    for (const std::size_t group : {kWithin, kAcross}) {
      std::optional<Departure> largest;
      for (const RunPair& pair : groups[group].pairs) {
        const double change = change_of(table[i], pair).value_or(0);
        if (std::abs(change) > (largest ? std::abs(largest->change) : limit))
          largest = {pair.first, pair.second, group == kAcross, i, change};
      }
      if (largest) found.push_back(*largest);
    }
  std::ranges::stable_sort(found, std::ranges::greater(),
                           [](const Departure& one) { return std::abs(one.change); });
  return found;
}

}  // namespace

AgreementTable agreement(std::span<const CaseVariance> table, std::size_t runs, double limit) {
  std::vector<Group> groups = groups_of(runs);
  AgreementTable found;
  found.departures = departures_of(table, groups, limit);
  if (runs == 2) groups.erase(groups.begin(), groups.begin() + 2);  // the one pair says it all
  std::vector<std::string> metrics;
  for (const CaseVariance& row : table) {
    if (std::ranges::find(metrics, row.metric) == metrics.end()) metrics.push_back(row.metric);
    found.not_in_all += !std::ranges::all_of(row.estimates, [](double value) { return value > 0; });
  }
  for (const std::string& metric : metrics)
    for (const Group& group : groups)
      for (const double at_least_s : {kLongLaunch_s, 0.0})
        if (Agreement one = agreement_of(table, metric, group, at_least_s); one.count > 0)
          found.rows.push_back(std::move(one));
  return found;
}

}  // namespace plumbline
