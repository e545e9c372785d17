#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "analysis/cause_draft.h"

namespace plumbline {
namespace {

constexpr double kNearlyAll = 0.9;  // of a draft's cases must have a trait for it to be theirs
constexpr double kMostOf = 0.8;     // of all cases with the trait must have changed

using Indices = std::vector<std::size_t>;  // of drafts

std::size_t implementations(const std::vector<CauseDraft>& drafts, const Indices& chosen) {
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (const std::size_t i : chosen)
    for (const CausePart& part : drafts[i].cause.parts) names.insert({part.op, part.backend});
  return names.size();
}

/// Makes one draft of `chosen`, which rise; the others keep their order.
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

/// Drafts whose cases nearly all fulfil `has`.
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

/// How many of the compared cases that fulfil `has` changed in this way.
template <typename Has>
SharedTrait counted(const Comparison& comparison, const ChangeKind& kind, Has has) {
  struct Case {
    bool is_changed = false, is_open = false;
  };
  std::map<std::pair<std::string_view, std::string_view>, Case> cases;
  for (const Finding& finding : comparison.findings) {
    const Stance stance = stance_of(finding, kind);
    if (stance == Stance::silent || !has(finding)) continue;
    Case& known = cases[{finding.suite, finding.case_id}];
    known.is_changed = known.is_changed || stance == Stance::changed;
    known.is_open = known.is_open || stance == Stance::open;
  }
  SharedTrait trait;
  std::size_t settled = 0;
  for (const auto& [name, found] : cases) {
    ++trait.cases;
    trait.changed += found.is_changed;
    settled += found.is_changed || !found.is_open;
  }
  if (double(trait.changed) < kMostOf * double(settled)) trait.changed = 0;
  return trait;
}

void join_by_clock(std::vector<CauseDraft>& drafts, const Comparison& comparison) {
  std::size_t cases = 0;
  const Indices chosen = drafts_with(drafts, [&](const ChangedCase& found) {
    const Finding& worst = comparison.findings[found.findings[0]];
    const auto& moved = worst.pairs > 0 ? worst.change : worst.raw_change;
    return moved && clock_explains(found.evidence, *moved);
  });
  if (implementations(drafts, chosen) < 2) return;
  for (const std::size_t i : chosen) cases += drafts[i].cases.size();
  join(drafts, chosen, {"clock", "SM clock", cases, cases});
}

/// Kernels by the drafts in which nearly all cases run them, if these are several implementations.
std::map<std::string, Indices> kernels_of_many(const std::vector<CauseDraft>& drafts) {
  std::set<std::string> names;
  for (const CauseDraft& draft : drafts)
    for (const ChangedCase& found : draft.cases)
      names.insert(found.evidence.kernels.begin(), found.evidence.kernels.end());
  std::map<std::string, Indices> shared;
  for (const std::string& name : names) {
    Indices chosen = drafts_with(drafts, [&](const ChangedCase& found) {
      return std::ranges::find(found.evidence.kernels, name) != found.evidence.kernels.end();
    });
    if (implementations(drafts, chosen) > 1) shared[name] = std::move(chosen);
  }
  return shared;
}

void join_by_kernel(std::vector<CauseDraft>& drafts, const ChangeKind& kind,
                    const Comparison& comparison, const EvidenceOf& evidence_of) {
  std::map<std::string, SharedTrait> traits;  // of kernels that were looked up before
  while (drafts.size() > 1) {
    const std::map<std::string, Indices> shared = kernels_of_many(drafts);
    const std::string* best = nullptr;
    for (const auto& [name, chosen] : shared) {
      const auto [at, is_new] = traits.try_emplace(name);
      if (is_new)
        at->second = counted(comparison, kind, [&](const Finding& finding) {
          const std::vector<std::string> kernels = evidence_of(finding).kernels;
          return std::ranges::find(kernels, name) != kernels.end();
        });
      if (at->second.changed > 0 && (best == nullptr || chosen.size() > shared.at(*best).size()))
        best = &name;
    }
    if (best == nullptr) return;
    SharedTrait trait = traits.at(*best);
    trait.kind = "kernel";
    trait.text = *best;
    join(drafts, shared.at(*best), std::move(trait));
  }
}

/// Entries of the environment, and whose times they are under: "" = everybody's.
struct EnvironmentScope {
  std::string_view backend;
  std::vector<std::string_view> names;
};
const std::array<EnvironmentScope, 3>& scopes() {
  static const std::array<EnvironmentScope, 3> kScopes{{
      {"cudnn", {"cudnn"}},
      {"libtorch", {"libtorch", "cublas", "numerics", "allocator"}},
      {"",
       {"device_uuid", "power_limit_w", "clocks_locked", "ecc", "mps", "driver", "cuda_driver",
        "cuda_runtime", "threads"}},
  }};
  return kScopes;
}

/// "cuDNN, driver": what of the scope changed in every case of the draft; "" where nothing did.
std::string moved_in(const EnvironmentScope& scope, const CauseDraft& draft) {
  const CaseEvidence& evidence = draft.cases[0].evidence;
  std::string text;
  for (const EnvironmentField& field : environment_fields()) {
    if (std::ranges::find(scope.names, field.name) == scope.names.end()) continue;
    const std::string& before = evidence.baseline_info->environment.*field.member;
    const std::string& after = evidence.candidate_info->environment.*field.member;
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
    SharedTrait trait = counted(comparison, kind, [&](const Finding& finding) {
      return scope.backend.empty() || finding.backend == scope.backend;
    });
    if (trait.changed == 0) continue;
    trait.kind = "environment";
    trait.text = by_text.begin()->first;
    join(drafts, by_text.begin()->second, std::move(trait));
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
