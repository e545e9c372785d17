// Fleets with a known truth: false outliers, planted cards and nodes found, kinds told apart. Seeds
// 1, 2, 3, …; PLUMBLINE_FLEETS multiplies the number of fleets. The tables of
// docs/evidence/fleet.md are what this prints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "analysis/fleet/judge.h"
#include "stats/proportion.h"
#include "support/simulated_fleet.h"

namespace plumbline {
namespace {

/// Scale of a case on a card: as two H100s differ, as two H200s of one kind, and as two H200s of
/// two kinds.
constexpr double kH100 = 0.0016, kH200 = 0.0022, kApart = 0.006;

int fleets_of(int usual) {
  const char* const factor = std::getenv("PLUMBLINE_FLEETS");
  return usual * (factor ? std::atoi(factor) : 1);
}

Fleet judged(const FleetModel& model) {
  SimulatedFleet fleet(model);
  FleetNights nights({});
  for (std::size_t night = 0; night < model.nights; ++night) {
    for (std::size_t device = 0; device < model.devices; ++device)
      nights.add(fleet.info(device, night), fleet.rows(device, night), "run");
    nights.end_night("night " + std::to_string(100 + night));
  }
  return judge_fleet(std::move(nights).finish(), {});
}

/// What was counted over fleets of one model.
struct Counts {
  int fleets = 0, with_false = 0, split = 0;  // fleets
  int planted = 0, found = 0, nodes = 0;      // devices; nodes that are called slower
  double seen = 0;                            // smallest deviation found half the time, mean

  double found_share() const { return planted > 0 ? double(found) / planted : 0; }
};

void add(const FleetModel& model, Counts& counts) {
  const SimulatedFleet truth(model);
  const Fleet fleet = judged(model);
  bool is_false = false;
  for (const FleetUnit& unit : fleet.units) {
    const auto index = std::size_t(&unit - fleet.units.data());
    const bool is_slow =
        unit.is_node ? std::ranges::any_of(
                           unit.devices, [&](std::size_t device) { return truth.is_slow(device); })
                     : truth.is_slow(index);
    is_false = is_false || (!is_slow && unit.is_outside());
    counts.nodes += unit.is_node && unit.is_slower();
    if (unit.is_node) continue;
    counts.planted += is_slow;
    counts.found += is_slow && unit.is_slower();
  }
  ++counts.fleets;
  counts.with_false += is_false;
  counts.split += fleet.classes[0].kinds.size() > 1;
  counts.seen += fleet.classes[0].families[model.slow_family].seen;
}

/// Prints a row of the table.
Counts counts_of(const std::string& what, FleetModel model, int fleets) {
  Counts counts;
  for (int i = 0; i < fleets; ++i) {
    model.seed = std::uint64_t(i) + 1;
    add(model, counts);
  }
  counts.seen /= fleets;
  const double most =
      proportion_bounds(std::size_t(counts.with_false), std::size_t(fleets), 0.95).high;
  fmt::print("| {} | {} | {} of {} (below {:.1f} %) | {} of {} | {} | {:.1f} % |\n", what,
             model.devices, counts.with_false, fleets, 100 * most, counts.found, counts.planted,
             counts.split, 100 * counts.seen);
  return counts;
}

void print_header() {
  fmt::print(
      "| fleet | GPUs | with a false outlier | slow GPUs found | split in kinds | found half the "
      "time |\n");
}

TEST(FleetSimulation, AFleetWithoutABadCardShowsNone) {
  print_header();
  int fleets = 0, with_false = 0, split = 0;
  for (const auto& [what, scale] : {std::pair{"cards as H100s", kH100},
                                    {"cards as H200s of one kind", kH200},
                                    {"cards far apart", kApart}})
    for (const auto& [devices, usual] : {std::pair{10, 40}, {32, 20}, {104, 8}, {304, 2}}) {
      const Counts counts =
          counts_of(what, {.devices = std::size_t(devices), .card_scale = scale}, fleets_of(usual));
      fleets += counts.fleets;
      with_false += counts.with_false;
      split += counts.split;
    }
  // 1 % is promised of each: of 210 fleets, 7 and more have a probability of 0.6 %.
  EXPECT_LE(with_false, fleets / 30);
  EXPECT_LE(split, fleets / 30);
}

TEST(FleetSimulation, TailsAsHeavyAsThoseOfSingleCasesRaiseNoAlarm) {
  print_header();
  int fleets = 0, with_false = 0;
  for (const auto& [devices, usual] : {std::pair{10, 20}, {32, 10}, {104, 4}}) {
    const Counts counts = counts_of("a case in each family",
                                    {.devices = std::size_t(devices),
                                     .families = 100,
                                     .cases = 100,
                                     .card_scale = kApart,
                                     .card_family_sd = 0,
                                     .night_median = 1e-6,
                                     .night_p90 = 2e-6,
                                     .process_sd = 1e-5},
                                    fleets_of(usual));
    fleets += counts.fleets;
    with_false += counts.with_false;
  }
  EXPECT_LE(with_false, std::max(2, fleets / 25));
}

TEST(FleetSimulation, ASlowCardIsFound) {
  print_header();
  for (const double by : {0.01, 0.02, 0.03, 0.05})
    for (const std::size_t devices : {10, 32, 104, 304})
      for (const std::size_t family : {0, 3}) {
        FleetModel model;
        model.devices = devices;
        model.slow_devices = {7};
        model.slow_by = std::log1p(by);
        model.slow_family = family;
        const Counts counts = counts_of(
            fmt::format("+{:.0f} % in {}", 100 * by, family > 0 ? "one family" : "all families"),
            model, fleets_of(devices > 200 ? 4 : 10));
        if (by >= 0.05) {
          EXPECT_GE(counts.found_share(), 0.8) << devices << ' ' << family;
        }
        if (by >= 0.03 && family == 0) {
          EXPECT_GE(counts.found_share(), 0.7) << devices;
        }
      }
}

TEST(FleetSimulation, AWholeNodeThatIsSlowIsFound) {
  print_header();
  for (const double by : {0.01, 0.02, 0.03}) {
    FleetModel model;
    model.devices = 304;
    model.slow_nodes = {5};
    model.slow_by = std::log1p(by);
    const Counts counts =
        counts_of(fmt::format("a node of 8, +{:.0f} %", 100 * by), model, fleets_of(4));
    if (by >= 0.02) {
      EXPECT_GE(counts.nodes, counts.fleets * 3 / 4) << by;
    }
    EXPECT_LE(counts.with_false, 1);
  }
}

TEST(FleetSimulation, KindsAreToldApartAndAreNoOutliers) {
  print_header();
  for (const double share : {0.25, 0.5})
    for (const auto& [devices, usual] : {std::pair{104, 5}, {304, 2}}) {
      FleetModel model;
      model.devices = std::size_t(devices);
      model.card_scale = kH200;
      model.second_kind = share;
      model.slow_devices = {std::size_t(devices) - 1};
      const Counts counts =
          counts_of(fmt::format("{:.0f} % of a second kind, one GPU +5 %", 100 * share), model,
                    fleets_of(usual));
      EXPECT_LE(counts.with_false, 1) << devices;
      EXPECT_GE(counts.split, counts.fleets * 9 / 10) << devices;
      EXPECT_GE(counts.found_share(), 0.8) << devices;
    }
}

TEST(FleetSimulation, TwoSlowNodesAreOutliersAndNoKind) {
  print_header();
  FleetModel model;
  model.devices = 64;
  model.slow_nodes = {2, 5};
  const Counts counts = counts_of("two of eight nodes, +5 %", model, fleets_of(5));
  EXPECT_EQ(counts.split, 0);
  EXPECT_GE(counts.found_share(), 0.9);
}

}  // namespace
}  // namespace plumbline
