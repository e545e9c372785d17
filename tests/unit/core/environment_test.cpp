#include "core/environment.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace plumbline {
namespace {

TEST(Environment, EveryFieldOfTheTableHasANameALabelAndAMemberOfItsOwn) {
  std::set<std::string_view> names, labels;
  Environment environment;
  for (const EnvironmentField& field : environment_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_TRUE(labels.insert(field.label).second) << field.label;
    EXPECT_EQ(environment.*field.member, "") << field.name;
    environment.*field.member = field.name;
  }
}

TEST(Environment, EveryMemberIsInTheTable) {
  EXPECT_EQ(environment_fields().size() * sizeof(std::string), sizeof(Environment));
}

TEST(Environment, HowADeviceIsSharedAndSetUpIsADifferenceWorthNaming) {
  std::map<std::string_view, EnvironmentKind> kinds;
  for (const EnvironmentField& field : environment_fields()) kinds[field.name] = field.kind;
  for (const char* name : {"mps", "mig", "compute_mode", "virtualization", "vbios", "pcie_max",
                           "connections", "clocks_locked"}) {
    ASSERT_TRUE(kinds.contains(name)) << name;
    EXPECT_EQ(kinds[name], EnvironmentKind::environment) << name;
  }
  // An idle GPU lowers its link, so this differs from run to run for no reason.
  EXPECT_EQ(kinds["pcie_now"], EnvironmentKind::note);
}

}  // namespace
}  // namespace plumbline
