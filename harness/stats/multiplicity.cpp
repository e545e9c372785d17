#include "stats/multiplicity.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/error.h"

namespace plumbline {
namespace {

struct Entry {
  double p_value;
  std::size_t index;  // in the input
};

/// The p values, smallest first.
std::vector<Entry> rising(std::span<const double> p_values, const char* what) {
  std::vector<Entry> entries(p_values.size());
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (!(p_values[i] >= 0 && p_values[i] <= 1))
      throw Error(std::string(what) + ": value " + std::to_string(i + 1) + " is " +
                  std::to_string(p_values[i]) + ", a p value lies in [0, 1]");
    entries[i] = {p_values[i], i};
  }
  std::ranges::sort(entries, {}, &Entry::p_value);
  return entries;
}

/// Step-up: p × count / rank, at most that of the next larger p value.
std::vector<double> step_up(std::span<const double> p_values, const char* what) {
  const std::vector<Entry> entries = rising(p_values, what);
  std::vector<double> adjusted(entries.size());
  const auto count = static_cast<double>(entries.size());
  double smallest = 1;
  for (std::size_t rank = entries.size(); rank > 0; --rank) {
    const auto& [p_value, index] = entries[rank - 1];
    smallest = std::min(smallest, p_value * (count / static_cast<double>(rank)));
    adjusted[index] = smallest;
  }
  return adjusted;
}

}  // namespace

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  return step_up(p_values, "Benjamini-Hochberg");
}

std::vector<double> holm(std::span<const double> p_values) {
  const std::vector<Entry> entries = rising(p_values, "Holm");
  std::vector<double> adjusted(entries.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < entries.size(); ++rank) {
    const auto& [p_value, index] = entries[rank];
    largest = std::max(largest, p_value * double(entries.size() - rank));
    adjusted[index] = std::min(largest, 1.0);
  }
  return adjusted;
}

double simes(std::span<const double> p_values) {
  if (p_values.empty()) throw Error("Simes: found no p value, needs at least 1");
  const std::vector<double> adjusted = step_up(p_values, "Simes");
  return *std::ranges::min_element(adjusted);
}

std::vector<double> hierarchical_benjamini_hochberg(std::span<const double> p_values,
                                                    std::span<const std::size_t> groups,
                                                    double rate) {
  if (groups.size() != p_values.size())
    throw Error("hierarchical_benjamini_hochberg: a group for each p value is needed");
  if (!(rate > 0 && rate < 1))
    throw Error("hierarchical_benjamini_hochberg: the rate lies in (0, 1)");
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < groups.size(); ++i) members[groups[i]].push_back(i);
  std::vector<double> of_groups;
  std::vector<std::vector<double>> within;
  for (const auto& [group, indices] : members) {
    std::vector<double> own;
    for (const std::size_t i : indices) own.push_back(p_values[i]);
    of_groups.push_back(simes(own));
    within.push_back(benjamini_hochberg(own));
  }
  of_groups = benjamini_hochberg(of_groups);
  const auto rejected = std::ranges::count_if(of_groups, [&](double p) { return p <= rate; });
  const double factor = double(members.size()) / double(std::max<std::ptrdiff_t>(rejected, 1));
  std::vector<double> adjusted(p_values.size());
  std::size_t g = 0;
  for (const auto& [group, indices] : members) {
    for (std::size_t k = 0; k < indices.size(); ++k)
      adjusted[indices[k]] = std::max(of_groups[g], std::min(1.0, within[g][k] * factor));
    ++g;
  }
  return adjusted;
}

}  // namespace plumbline
