#include "analysis/variance/moderated_noise.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "stats/moderation.h"

namespace plumbline {
namespace {

/// An op with at least this many cases has its own prior; smaller ones share the metric's.
constexpr std::size_t kFamilyFrom = 8;

/// Cases that are moderated together: those that show a variance, and the others.
struct Group {
  std::vector<std::size_t> known, unknown;
};

/// A case without a variance gets its group's prior: the limit for 0 degrees of freedom.
void moderate(const Group& group, std::span<const OwnNoise> own, std::vector<Noise>& noises) {
  if (group.known.empty()) return;
  std::vector<double> variances, dfs;
  double df_sum = 0;
  for (const std::size_t i : group.known) {
    variances.push_back(own[i].variance);
    dfs.push_back(own[i].df);
    df_sum += own[i].df;
  }
  const VariancePrior prior = fit_variance_prior(variances, dfs);
  for (const std::size_t i : group.known)
    noises[i] = {std::max(moderated_variance(own[i].variance, own[i].df, prior), own[i].floor),
                 std::min(prior.df + own[i].df, df_sum)};
  for (const std::size_t i : group.unknown)
    noises[i] = {prior.variance, std::min(prior.df, df_sum)};
}

}  // namespace

std::vector<Noise> moderated_noise(std::span<const OwnNoise> own) {
  std::map<std::string_view, Group> metrics;
  std::map<std::pair<std::string_view, std::string_view>, Group> families;  // metric, op
  for (std::size_t i = 0; i < own.size(); ++i)
    for (Group* const group : {&metrics[own[i].metric], &families[{own[i].metric, own[i].op}]})
      (own[i].df > 0 ? group->known : group->unknown).push_back(i);
  std::vector<Noise> noises(own.size());
  for (const auto& [metric, group] : metrics) moderate(group, own, noises);
  for (const auto& [key, family] : families)
    if (family.known.size() >= kFamilyFrom && family.known.size() < metrics[key.first].known.size())
      moderate(family, own, noises);
  return noises;
}

}  // namespace plumbline
