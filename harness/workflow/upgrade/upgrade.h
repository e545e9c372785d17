/// Measures a suite in two environments that differ in their libraries: the command `upgrade`.
#pragma once

#include <array>
#include <string>

#include "workflow/judge/ab.h"
#include "workflow/setup/suites.h"
#include "workflow/upgrade/made_environment.h"

namespace plumbline {

struct UpgradeRequest {
  std::array<EnvironmentRequest, 2> environments;  // before, after
  AbRequest pairs;                                 // its sides are set by measure_upgrade()
};

/// What measure_upgrade() would do.
struct UpgradePlan {
  std::array<EnvironmentPlan, 2> environments;  // before, after
  WrittenSuites suites;
};

/// Reads suites, and makes nothing. Throws Error for the mistakes that measure_upgrade() finds
/// before it makes an environment.
UpgradePlan plan_upgrade(const UpgradeRequest& request);

/// Makes both environments, then measures the present folder's suites in pairs, each side in one of
/// them. Throws Error.
AbResult measure_upgrade(UpgradeRequest request, Talk& talk);

}  // namespace plumbline
