#include "workflow/upgrade/upgrade.h"

#include <utility>

namespace plumbline {

UpgradePlan plan_upgrade(const UpgradeRequest& request) {
  require_no_rounds(request.pairs.run);
  UpgradePlan plan;
  plan.suites = read_written_suites(request.pairs.run);
  for (std::size_t i = 0; i < plan.environments.size(); ++i)
    plan.environments[i] = plan_environment(request.environments[i]);
  return plan;
}

AbResult measure_upgrade(UpgradeRequest request, Talk& talk) {
  require_no_rounds(request.pairs.run);  // before minutes of installing
  read_written_suites(request.pairs.run);
  std::array<MadeEnvironment, 2> made;
  const std::array<SideName*, 2> names{&request.pairs.a, &request.pairs.b};
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = make_environment(request.environments[i], talk);
    if (made[i].signal != 0) return {made[i].signal, {}, {}};
    *names[i] = {.text = std::string(kEnvironmentPrefix) + made[i].prefix,
                 .shown = request.environments[i].requirements};
  }
  return measure_ab(std::move(request.pairs), talk);
}

}  // namespace plumbline
