#include "core/run/environment.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <variant>

namespace plumbline {
namespace {

TEST(Environment, EveryFieldOfTheTableHasANameALabelAndAMemberOfItsOwn) {
  std::set<std::string_view> names, labels;
  Environment environment;
  for (const EnvironmentField& field : environment_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_TRUE(labels.insert(field.label).second) << field.label;
    EXPECT_EQ(field.text(environment), "") << field.name;
    const bool is_text = field.read(field.name, environment).empty();
    EXPECT_TRUE(is_text || field.read("1", environment).empty()) << field.name;
    EXPECT_NE(field.text(environment), "") << field.name;
  }
}

/// Members have no gaps between them, except one after the flags, which are last.
TEST(Environment, EveryMemberIsInTheTable) {
  std::size_t bytes = 0;
  for (const EnvironmentField& field : environment_fields())
    bytes += std::visit([](auto held) { return sizeof(Environment{}.*held); }, field.member);
  EXPECT_EQ((bytes + alignof(Environment) - 1) / alignof(Environment) * alignof(Environment),
            sizeof(Environment));
}

TEST(Environment, AnEntryReadsBackFromItsText) {
  const auto read_back = [](std::string_view name, std::string_view text) {
    Environment environment;
    const EnvironmentField& field = *environment_field(name);
    const std::string_view expected = field.read(text, environment);
    return expected.empty() ? field.text(environment) : "expected " + std::string(expected);
  };
  EXPECT_EQ(read_back("driver", "580.95"), "580.95");
  EXPECT_EQ(read_back("device_uuid", "GPU-1,GPU-2"), "GPU-1,GPU-2");
  EXPECT_EQ(read_back("device_memory_bytes", "150109880320"), "150109880320");
  EXPECT_EQ(read_back("device_memory_bytes", "140 GiB"), "expected an integer");
  EXPECT_EQ(read_back("sm_clock_max_hz", "1980000000"), "1980000000");
  EXPECT_EQ(read_back("power_limit_w", "312.5"), "312.5");
  EXPECT_EQ(read_back("power_limit_w", "nan"), "expected a number");
  EXPECT_EQ(read_back("ecc", "on"), "on");
  EXPECT_EQ(read_back("ecc", "Disabled"), "off");
  EXPECT_EQ(read_back("ecc", "maybe"), "expected on or off");
  EXPECT_EQ(read_back("dirty", "true"), "yes");
  for (const EnvironmentField& field : environment_fields())
    EXPECT_EQ(read_back(field.name, ""), "") << field.name;
  EXPECT_EQ(environment_field("weather"), nullptr);
}

TEST(Environment, AnEntryThatCannotBeReadStaysAsItWas) {
  Environment environment;
  environment.threads = 4;
  EXPECT_EQ(environment_field("threads")->read("many", environment), "an integer");
  EXPECT_EQ(environment.threads, 4);
}

TEST(Environment, HowADeviceIsSharedAndSetUpIsADifferenceWorthNaming) {
  std::map<std::string_view, EnvironmentKind> kinds;
  for (const EnvironmentField& field : environment_fields()) kinds[field.name] = field.kind;
  for (const char* name : {"mps", "mig", "compute_mode", "virtualization", "vbios", "pcie_max",
                           "connections", "clocks_locked"}) {
    ASSERT_TRUE(kinds.contains(name)) << name;
    EXPECT_EQ(kinds[name], EnvironmentKind::environment) << name;
  }
  // An idle GPU lowers its link speed, so this differs from run to run without a cause.
  EXPECT_EQ(kinds["pcie_now"], EnvironmentKind::note);
}

}  // namespace
}  // namespace plumbline
