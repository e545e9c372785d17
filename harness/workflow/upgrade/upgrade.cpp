#include "workflow/upgrade/upgrade.h"

#include <utility>

#include "workflow/setup/suites.h"

namespace plumbline {

AbResult measure_upgrade(UpgradeRequest request, Talk& talk) {
  check_written_suites(request.pairs.run);
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
