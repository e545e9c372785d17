#include "workflow/setup/shard_plan.h"

#include <set>
#include <utility>

#include "core/error.h"
#include "schedule/shards.h"
#include "store/shards/case_costs.h"

namespace plumbline {

ShardPlan keep_shard(std::vector<Case>& cases, const ShardRequest& request) {
  ShardPlan plan;
  plan.selected = std::int64_t(cases.size());
  RunCosts known;
  if (!request.balance.empty()) {
    known = read_case_costs(request.balance);
    plan.balanced_by = known.hash;
    for (const auto& [key, cost] : known.costs) plan.homes[key] = cost.device;
  }
  if (request.shard.empty()) return plan;
  const auto number = shard_number(request.shard);
  if (!number)
    throw Error("--shard " + request.shard + ": expected i/n with i from 1 to n, as in 2/4");
  const auto shard_of = shards_of(cases, std::size_t(number->count), known.costs);
  std::vector<Case> own;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (shard_of[i] == std::size_t(number->index - 1)) own.push_back(std::move(cases[i]));
  cases = std::move(own);
  return plan;
}

void record_shard(const ShardPlan& shard, const std::vector<Case>& cases, RunInfo& info) {
  info.selected_cases = shard.selected;
  info.balanced_by = shard.balanced_by;
  if (info.shard.empty()) return;
  std::set<CaseKey> own;
  for (const Case& c : cases) own.insert({c.suite, c.id});
  for (SuiteRef& suite : info.suites) {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < suite.cases.size(); ++i) {
      std::string& id = suite.cases[i];
      if (own.contains({suite.name, id})) {
        suite.positions.push_back(std::int64_t(i));
        kept.push_back(std::move(id));
      } else {
        suite.thresholds.erase(id);
        suite.calls.erase(id);
      }
    }
    suite.cases = std::move(kept);
  }
  std::erase_if(info.expected, [&](const ExpectedFailure& expected) {
    return !own.contains({expected.suite, expected.case_id});
  });
}

}  // namespace plumbline
