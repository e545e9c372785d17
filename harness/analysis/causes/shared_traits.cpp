#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "analysis/causes/cause_draft.h"

namespace plumbline {
namespace {

constexpr double kNearlyAll = 0.9;  // share of a draft's cases that must have the trait
constexpr double kMostOf = 0.8;     // share of all cases with the trait that must have changed

using Indices = std::vector<std::size_t>;  // of drafts

std::size_t implementations(const std::vector<CauseDraft>& drafts, const Indices& chosen) {
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (const std::size_t i : chosen)
    for (const CausePart& part : drafts[i].cause.parts) names.insert({part.op, part.backend});
  return names.size();
}

/// Makes one draft of `chosen` (in rising order); the others keep their order.
void join(std::vector<CauseDraft>& drafts, const Indices& chosen, SharedTrait trait) {
  CauseDraft& first = drafts[chosen[0]];
  first.cause.trait = std::move(trait);
  for (const std::size_t i : chosen) {
    if (i == chosen[0]) continue;
    std::ranges::move(drafts[i].cause.parts, std::back_inserter(first.cause.parts));
    std::ranges::move(drafts[i].cases, std::back_inserter(first.cases));
    drafts[i].cases.clear();
  }
  std::erase_if(drafts, [](const CauseDraft& draft) { return draft.cases.empty(); });
}

/// Drafts in which nearly all cases fulfil `has`.
template <typename Has>
Indices drafts_with(const std::vector<CauseDraft>& drafts, Has has) {
  Indices chosen;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const std::vector<ChangedCase>& cases = drafts[i].cases;
    const auto n = std::ranges::count_if(cases, has);
    if (!drafts[i].cause.trait && double(n) >= kNearlyAll * double(cases.size()))
      chosen.push_back(i);
  }
  return chosen;
}

/// Cases that have some trait, and whether they changed.
class Census {
 public:
  void add(const Finding& finding, Stance stance) {
    State& known = cases_[{finding.suite, finding.case_id}];
    known.is_changed = known.is_changed || stance == Stance::changed;
    known.is_open = known.is_open || stance == Stance::open;
  }

  /// Nothing if too few of these cases changed for the trait to be the reason.
  std::optional<SharedTrait> trait(std::string kind, std::string text) const {
    SharedTrait made{std::move(kind), std::move(text), 0, cases_.size()};
    std::size_t settled = 0;
    for (const auto& [name, state] : cases_) {
      made.changed += state.is_changed;
      settled += state.is_changed || !state.is_open;
    }
    if (double(made.changed) < kMostOf * double(settled)) return std::nullopt;
    return made;
  }

 private:
  struct State {
    bool is_changed = false, is_open = false;
  };
  std::map<std::pair<std::string_view, std::string_view>, State> cases_;
};

void join_by_clock(std::vector<CauseDraft>& drafts, const Comparison& comparison) {
  std::size_t cases = 0;
  const Indices chosen = drafts_with(drafts, [&](const ChangedCase& found) {
    const Finding& worst = comparison.findings[found.findings[0]];
    const auto& moved = worst.pairs > 0 ? worst.change : worst.raw_change;
    return moved && clock_explains(*found.evidence, *moved);
  });
  if (implementations(drafts, chosen) < 2) return;
  for (const std::size_t i : chosen) cases += drafts[i].cases.size();
  join(drafts, chosen, {"clock", "SM clock", cases, cases});
}

/// Of the candidate's kernels; copies are no trait.
std::set<std::string_view> names_of(const CaseEvidence& evidence) {
  std::set<std::string_view> names;
  for (const KernelTime& kernel : evidence.kernels)
    if (!kernel.is_copy) names.insert(kernel.name);
  return names;
}

/// For each kernel, the drafts in which nearly all cases run it. Only kernels of several
/// implementations.
std::map<std::string_view, Indices> kernels_of_many(const std::vector<CauseDraft>& drafts) {
  std::map<std::string_view, Indices> shared;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (drafts[i].cause.trait) continue;
    std::map<std::string_view, std::size_t> times;
    for (const ChangedCase& found : drafts[i].cases)
      for (const std::string_view name : names_of(*found.evidence)) ++times[name];
    for (const auto& [name, n] : times)
      if (double(n) >= kNearlyAll * double(drafts[i].cases.size())) shared[name].push_back(i);
  }
  std::erase_if(shared,
                [&](const auto& entry) { return implementations(drafts, entry.second) < 2; });
  return shared;
}

/// For each of these kernels, the compared cases that run it.
std::map<std::string_view, Census> censuses(const std::map<std::string_view, Indices>& kernels,
                                            const ChangeKind& kind, const Comparison& comparison,
                                            const EvidenceOf& evidence_of) {
  std::map<std::string_view, Census> made;
  for (const Finding& finding : comparison.findings) {
    const Stance stance = stance_of(finding, kind);
    if (stance == Stance::silent) continue;
    for (const std::string_view name : names_of(evidence_of(finding)))
      if (const auto known = kernels.find(name); known != kernels.end())
        made[known->first].add(finding, stance);
  }
  return made;
}

void join_by_kernel(std::vector<CauseDraft>& drafts, const ChangeKind& kind,
                    const Comparison& comparison, const EvidenceOf& evidence_of) {
  std::map<std::string_view, Indices> shared = kernels_of_many(drafts);
  if (shared.empty()) return;
  const std::map<std::string_view, Census> census = censuses(shared, kind, comparison, evidence_of);
  while (!shared.empty()) {
    const auto widest =
        std::ranges::max_element(shared, {}, [](const auto& entry) { return entry.second.size(); });
    const std::string_view name = widest->first;
    std::optional<SharedTrait> trait = census.at(name).trait("kernel", std::string(name));
    if (!trait) {
      shared.erase(widest);
      continue;
    }
    join(drafts, widest->second, std::move(*trait));
    // The join moved drafts to new places. Kernels that were rejected before stay rejected.
    std::map<std::string_view, Indices> left = kernels_of_many(drafts);
    std::erase_if(left, [&](const auto& entry) { return !shared.contains(entry.first); });
    shared = std::move(left);
  }
}

/// Entries of the environment, and the backend whose times they affect: "" = all backends.
struct EnvironmentScope {
  std::string_view backend;
  std::vector<std::string_view> names;
};
const std::array<EnvironmentScope, 4>& scopes() {
  static const std::array<EnvironmentScope, 4> kScopes{{
      {"cudnn", {"cudnn"}},
      {"nccl", {"nccl"}},
      {"libtorch", {"libtorch", "cublas", "numerics", "allocator"}},
      {"",
       {"device_uuid", "power_limit_w", "clocks_locked", "ecc", "mps", "driver", "cuda_driver",
        "cuda_runtime", "threads"}},
  }};
  return kScopes;
}

/// "cuDNN, driver": what changed within the scope in every case of the draft; "" = nothing.
std::string moved_in(const EnvironmentScope& scope, const CauseDraft& draft) {
  const CaseEvidence& evidence = *draft.cases[0].evidence;
  std::string text;
  for (const EnvironmentField& field : environment_fields()) {
    if (std::ranges::find(scope.names, field.name) == scope.names.end()) continue;
    const std::string before = field.text(evidence.baseline_info->environment);
    const std::string after = field.text(evidence.candidate_info->environment);
    if (before.empty() || after.empty() || before == after) continue;
    text += (text.empty() ? "" : ", ") + std::string(field.label);
  }
  return text;
}

void join_by_environment(std::vector<CauseDraft>& drafts, const ChangeKind& kind,
                         const Comparison& comparison) {
  for (const EnvironmentScope& scope : scopes()) {
    std::map<std::string, Indices> by_text;
    for (std::size_t i = 0; i < drafts.size(); ++i) {
      const Cause& cause = drafts[i].cause;
      const bool is_under = scope.backend.empty() || cause.parts[0].backend == scope.backend;
      if (cause.trait || !is_under) continue;
      if (const std::string text = moved_in(scope, drafts[i]); !text.empty())
        by_text[text].push_back(i);
    }
    if (by_text.size() != 1 || implementations(drafts, by_text.begin()->second) < 2) continue;
    Census census;
    for (const Finding& finding : comparison.findings)
      if (scope.backend.empty() || finding.backend == scope.backend)
        if (const Stance stance = stance_of(finding, kind); stance != Stance::silent)
          census.add(finding, stance);
    if (auto trait = census.trait("environment", by_text.begin()->first))
      join(drafts, by_text.begin()->second, std::move(*trait));
  }
}

}  // namespace

void join_over_ops(std::vector<CauseDraft>& drafts, const ChangeKind& kind,
                   const Comparison& comparison, const EvidenceOf& evidence_of) {
  const bool is_of_one_run = kind.verdict == Verdict::missing || kind.verdict == Verdict::added;
  if (is_of_one_run || drafts.size() < 2) return;
  if (!kind.measure.empty()) join_by_clock(drafts, comparison);
  join_by_kernel(drafts, kind, comparison, evidence_of);
  join_by_environment(drafts, kind, comparison);
}

}  // namespace plumbline
