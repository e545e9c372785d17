#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "reports/assets.h"
#include "reports/fleet/map.h"
#include "reports/fleet/page.h"
#include "support/places.h"
#include "support/run_files.h"
#include "unit/reports/planted.h"

namespace plumbline {
namespace {

constexpr const char* kHostile = "<script>alert(1)</script>\"'`&\xE2\x80\xAE";

/// Nodes with eight devices; the third device is 6 % slower in one family.
Fleet fleet_of(std::size_t nodes, std::size_t families) {
  Fleet fleet;
  fleet.tests = nodes * 8 * (families + 1);
  FleetClass& whole = fleet.classes.emplace_back();
  whole.name = "NVIDIA H200";
  whole.devices = nodes * 8;
  whole.nights = {"2026-01-01", "2026-01-02"};
  whole.kinds.resize(1);
  whole.families.push_back({.name = kAllFamilies});
  for (std::size_t i = 0; i < families; ++i)
    whole.families.push_back({.name = "family" + std::to_string(i)});
  for (FleetFamily& family : whole.families) family.seen = 0.01;
  for (std::size_t d = 0; d < nodes * 8; ++d) {
    FleetUnit& unit = fleet.units.emplace_back();
    unit.name = fmt::format("GPU-{:08x}", 0x5eed0000 + d);
    unit.host = fmt::format("node{:04}", d / 8);
    unit.night = "2026-01-02";
    unit.conditions.temperature_c = 50 + double(d % 8);
    unit.conditions.clock_hz = 1.98e9;
    unit.conditions.cases = 153;
    unit.cells.resize(families + 1);
    for (std::size_t i = 0; i <= families; ++i)
      unit.cells[i].deviation = 0.003 * std::sin(double(d * 31 + i * 17));
  }
  FleetCell& slow = fleet.units[2].cells[1];
  slow.deviation = std::log(1.06);
  slow.is_outside = true;
  slow.p = 1e-9;
  slow.since = "2026-01-02";
  slow.nights = 2;
  slow.nights_out = 1;
  slow.today.error = 0.001;
  return fleet;
}

TEST(FleetPage, SaysWhoIsOutsideByHowMuchHowSureAndSinceWhen) {
  const std::string page = render_fleet(fleet_of(4, 3), std::nullopt, "");
  EXPECT_TRUE(holds(page, "Outside of their class: 1 device slower, of 32 devices."));
  EXPECT_TRUE(holds(page, "+6.0 %"));
  EXPECT_TRUE(holds(page, "p &lt; 1e-6"));
  EXPECT_TRUE(holds(page, "since 2026-01-02, 1 of 2 nights"));
  EXPECT_TRUE(holds(page, "GPU-5eed0002"));
}

TEST(FleetPage, ShowsEveryDeviceByFamilyWithTheOrdinaryOnesFolded) {
  const std::string page = render_fleet(fleet_of(200, 20), std::nullopt, "");
  for (const char* device : {"GPU-5eed0000", "GPU-5eed063f"}) EXPECT_TRUE(holds(page, device));
  EXPECT_TRUE(holds(page, "<details class=\"folded\"><summary>1576 ordinary devices</summary>"));
  EXPECT_LT(page.size(), 3'000'000U);
  EXPECT_FALSE(holds(page, "src=") || holds(page, "href=\"http")) << "nothing is loaded";
}

TEST(FleetPage, NamesOfHostsDevicesAndFamiliesAreInert) {
  Fleet fleet = fleet_of(1, 2);
  for (FleetUnit& unit : fleet.units) unit.host = unit.name = kHostile;
  fleet.classes[0].name = fleet.classes[0].families[1].name = kHostile;
  fleet.units[2].differs = {kHostile};
  FleetRuleLine rule;
  rule.at = rule.name = kHostile;
  rule.slower_by = 0.01;
  const std::string page = render_fleet(fleet, decide(fleet, {rule}), kHostile);
  EXPECT_FALSE(holds(page, "<script>alert"));
  EXPECT_FALSE(holds(page, "\xE2\x80\xAE")) << "text that runs backwards is spelled out";
}

TEST(FleetPage, ShowsWhatRulesDrainAndWhatTheyCannotTell) {
  const Fleet fleet = fleet_of(2, 2);
  FleetRuleLine slow, errors;
  slow.slower_by = std::log(1.05);
  for (const FleetFact& fact : fleet_facts())
    if (fact.name == "ecc_uncorrected")
      errors.limits = {{&fact, NumberLimit::Relation::above, 0, "> 0"}};
  const std::string page = render_fleet(fleet, decide(fleet, {slow, errors}), "");
  EXPECT_TRUE(holds(page, "The rules drain 1 node."));
  EXPECT_TRUE(holds(page, "scontrol update NodeName=node0000 State=DRAIN"));
  EXPECT_TRUE(holds(page, "ecc_uncorrected is not recorded"));
}

TEST(FleetPage, HeatFollowsTheDeviation) {
  EXPECT_EQ(heat_class(0.001), "");
  EXPECT_EQ(heat_class(std::log(1.006)), "s1");
  EXPECT_EQ(heat_class(std::log(1.2)), "s4");
  EXPECT_EQ(heat_class(std::log(0.985)), "f2");
  EXPECT_EQ(heat_class(kUnknown), "none");
}

/// For tests/browser/fleet_test.py.
TEST(FleetPage, IsWrittenForTheBrowser) {
  const std::filesystem::path folder = build_dir() / "tests/fleet_pages";
  std::filesystem::create_directories(folder);
  FleetRuleLine slow;
  slow.at = "rules.yaml:2";
  slow.slower_by = std::log(1.05);
  Fleet large = fleet_of(200, 20);
  for (std::size_t d = 800; d < 808; ++d)
    for (FleetCell& cell : large.units[d].cells) cell.deviation += 0.03;
  write_file(folder / "large.html", render_fleet(large, decide(large, {slow}), ""));
  Fleet hostile = fleet_of(2, 4);
  for (FleetUnit& unit : hostile.units) unit.host = kHostile;
  write_file(folder / "hostile.html", render_fleet(hostile, std::nullopt, ""));
}

}  // namespace
}  // namespace plumbline
