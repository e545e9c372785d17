#include "analysis/devices/device_table.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/error.h"

namespace plumbline {
namespace {

using Runs = std::vector<Run>;

/// A run of one device with a row for each case and visit.
class DeviceRun {
 public:
  explicit DeviceRun(const std::string& model) {
    run_.info.environment.device_class = run_.info.environment.device_model = model;
    run_.info.finished_at = "2026-01-01T00:00:00Z";
    run_.path = "runs/" + model;
  }
  /// One visit for each of `times`.
  DeviceRun& add(const std::string& dtype, const std::vector<double>& times,
                 const std::string& metric = "gpu_time_cold", const std::string& unit = "s") {
    for (std::size_t round = 0; round < times.size(); ++round) {
      ResultRow& row = run_.rows.emplace_back();
      row.suite = "s";
      row.case_id = "gemm/libtorch/dtype=" + dtype;
      row.op = "gemm";
      row.backend = "libtorch";
      row.revision = "1";
      row.metric = metric;
      row.unit = unit;
      row.round = static_cast<std::int64_t>(round);
      row.flops = 1e9;
      row.bytes = 1e6;
      row.samples.add_block(std::array{times[round]});
    }
    return *this;
  }
  plumbline::Run& get() { return run_; }
  operator plumbline::Run() const { return run_; }

 private:
  plumbline::Run run_;
};

std::string mistake(const Runs& runs, const DeviceOptions& options) {
  try {
    device_table(runs, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no mistake";
}

TEST(DeviceTable, ARatioIsHowManyTimesAsGoodAsTheReference) {
  const Runs runs{DeviceRun("H100").add("float16", {2e-3, 2e-3}).add("int8", {4e-3}),
                  DeviceRun("B200").add("float16", {1e-3, 1e-3}).add("int8", {8e-3})};
  const DeviceTable table = device_table(runs, {});
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[1].ratio, 2);
  EXPECT_DOUBLE_EQ(*table.rows[1].cells[1].ratio, 0.5);
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[0].ratio, 1);
  EXPECT_DOUBLE_EQ(*table.summaries[1].mean_ratio, 1);
  EXPECT_DOUBLE_EQ(*table.summaries[1].least_ratio, 0.5);
  EXPECT_EQ(table.summaries[1].cases, 2U);
}

TEST(DeviceTable, TheReferenceMayBeAnyOfTheDevices) {
  const Runs runs{DeviceRun("H100").add("float16", {2e-3}),
                  DeviceRun("B200").add("float16", {1e-3})};
  const DeviceTable table = device_table(runs, {.reference = "b200"});
  EXPECT_EQ(table.reference, 1U);
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[0].ratio, 0.5);
  EXPECT_EQ(mistake(runs, {.reference = "0"}),
            "--reference 0: fits 2 of the devices; expected one of 'H100', 'B200'");
  EXPECT_EQ(mistake(runs, {.reference = "MI300"}),
            "--reference MI300: fits none of the devices; expected one of 'H100', 'B200'");
}

TEST(DeviceTable, AValueOfOneVisitHasNoInterval) {
  const Runs runs{
      DeviceRun("A").add("float16", {1e-3, 1.01e-3, 0.99e-3}).add("int8", {1e-3, 1.01e-3}),
      DeviceRun("B").add("float16", {2e-3, 2.02e-3, 1.98e-3}).add("int8", {1e-3})};
  const DeviceTable table = device_table(runs, {});
  const DeviceCell& measured = table.rows[0].cells[1];
  ASSERT_TRUE(measured.low && measured.ratio_low);
  EXPECT_LT(*measured.low, 2e-3);
  EXPECT_LT(*measured.ratio_low, *measured.ratio);
  EXPECT_GT(*measured.ratio_high, *measured.ratio);
  // Welch by hand: log values ±0.01 on both sides, se = √(2/3)·sd, df = 4, t(0.995, 4) = 4.604.
  const double sd = std::sqrt((std::pow(std::log(1.01), 2) + std::pow(std::log(0.99), 2) -
                               std::pow(std::log(1.01 * 0.99), 2) / 3) /
                              2);
  EXPECT_NEAR(std::log(*measured.ratio_high / *measured.ratio), 4.604 * std::sqrt(2.0 / 3) * sd,
              1e-4);
  const DeviceCell& single = table.rows[1].cells[1];
  EXPECT_DOUBLE_EQ(*single.value, 1e-3);
  EXPECT_FALSE(single.low);
  EXPECT_FALSE(single.ratio_low);
  EXPECT_TRUE(table.rows[1].cells[0].low);
}

TEST(DeviceTable, WhatIsBetterWhenMoreIsReversed) {
  const Runs runs{DeviceRun("A").add("float16", {2}, "speedup", "1"),
                  DeviceRun("B").add("float16", {3}, "speedup", "1")};
  const DeviceTable table = device_table(runs, {.metrics = {"speedup"}});
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[1].ratio, 1.5);
}

TEST(DeviceTable, WhatIsNotComparableHasAValueButNoRatioAndTheReason) {
  DeviceRun reference("A"), other("B");
  reference.add("float16", {1e-3}).add("float32", {1e-3}).add("int8", {1e-3});
  other.add("float16", {1e-3}).add("float32", {1e-3});
  other.add("int8", {1e-3}, "kernel_time_cold");
  other.get().rows[0].revision = "2";
  reference.get().info.environment.numerics = "tf32 off";
  other.get().info.environment.numerics = "tf32 on";
  const DeviceTable table = device_table(Runs{reference, other}, {});
  ASSERT_EQ(table.rows.size(), 4U);
  const DeviceCell& revised = table.rows[0].cells[1];
  EXPECT_TRUE(revised.value);
  EXPECT_FALSE(revised.ratio);
  EXPECT_EQ(revised.reason, "revision 2 is another problem than revision 1 of the reference");
  EXPECT_EQ(table.rows[1].cells[1].reason,
            "numeric switches tf32 on, the reference has tf32 off: float32 is computed in another "
            "way");
  EXPECT_EQ(table.rows[2].cells[1].reason, "measured by another metric: kernel_time_cold");
  EXPECT_EQ(table.rows[3].metric, "kernel_time_cold");
  EXPECT_EQ(table.rows[3].cells[1].reason,
            "the reference has no value: measured by another metric: gpu_time_cold");
  EXPECT_EQ(table.summaries[1].cases, 0U);
  EXPECT_EQ(table.summaries[1].refused, 3U);
  EXPECT_EQ(table.summaries[1].absent, 1U);
}

TEST(DeviceTable, AnotherMeaningOfTheMetricIsRefused) {
  DeviceRun reference("A"), other("B");
  reference.add("float16", {1e-3});
  other.add("float16", {1e-3}).get().info.measurement_revision = 1;
  const DeviceTable table = device_table(Runs{reference, other}, {});
  EXPECT_FALSE(table.rows[0].cells[1].ratio);
  EXPECT_NE(table.rows[0].cells[1].reason.find("measurement revision 1"), std::string::npos);
}

TEST(DeviceTable, AWrongResultHasNeitherTimeNorRatio) {
  DeviceRun reference("A"), other("B");
  reference.add("float16", {1e-3}).add("int8", {1e-3});
  other.add("float16", {1e-3});
  ResultRow& row = other.get().rows.emplace_back(other.get().rows[0]);
  row.round = 1;
  row.status = Status::wrong;
  row.reason = "error 0.5";
  row.metric.clear();
  row.samples = {};
  const DeviceTable table = device_table(Runs{reference, other}, {});
  EXPECT_FALSE(table.rows[0].cells[1].value);
  EXPECT_EQ(table.rows[0].cells[1].reason, "WRONG: round 1: error 0.5");
  EXPECT_EQ(table.rows[1].cells[1].reason, "no such case in this run");
}

TEST(DeviceTable, ACaseThatNoRunMeasuredIsNamed) {
  DeviceRun reference("A"), other("B");
  for (DeviceRun* one : {&reference, &other}) {
    one->add("float16", {1e-3}).add("int8", {1e-3});
    ResultRow& row = one->get().rows.back();
    row.status = one == &other ? Status::out_of_memory : Status::crashed;
    row.metric.clear();
    row.samples = {};
  }
  const DeviceTable table = device_table(Runs{reference, other}, {});
  EXPECT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.unmeasured,
            "1 case has no value in any run, and no row here: gemm/libtorch/dtype=int8 (CRASHED: "
            "round 0).");
}

TEST(DeviceTable, AMillionLaunchesHaveAPriceAndALaunchAnEnergy) {
  const Runs runs{DeviceRun("H100").add("float16", {3.6e-3}),
                  DeviceRun("B200").add("float16", {1.8e-3})};
  const DeviceTable table =
      device_table(runs, {.prices = {{"H100", 2}, {"B200", 6}}, .powers = {{"B200", 1000}}});
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[0].price, 2);  // an hour of work
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[1].price, 3);
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[1].energy, 1.8);
  EXPECT_FALSE(table.rows[0].cells[0].energy);
  EXPECT_DOUBLE_EQ(*table.summaries[1].work_ratio, 2.0 / 3);  // twice as fast, three times as
                                                              // expensive
}

TEST(DeviceTable, AWholeNameWinsOverOneThatHoldsIt) {
  const Runs runs{DeviceRun("NVIDIA GB200").add("float16", {1e-3}),
                  DeviceRun("NVIDIA B200").add("float16", {1e-3}),
                  DeviceRun("NVIDIA H100 80GB").add("float16", {1e-3})};
  const DeviceTable table =
      device_table(runs, {.prices = {{"B200", 5}, {"H100 80GB", 2}, {"gb2", 6}}});
  EXPECT_DOUBLE_EQ(*table.columns[0].price_per_h, 6);
  EXPECT_DOUBLE_EQ(*table.columns[1].price_per_h, 5);
  EXPECT_DOUBLE_EQ(*table.columns[2].price_per_h, 2);
  EXPECT_EQ(device_table(runs, {.reference = "b200"}).reference, 1U);
  EXPECT_EQ(mistake(runs, {.prices = {{"00", 1}}}).substr(0, 40),
            "--price 00: fits 3 of the devices; expec");
}

TEST(DeviceTable, APriceIsOfAllCardsOfItsModel) {
  DeviceRun one("A"), other("A");
  one.add("float16", {1e-3}).get().info.environment.device_uuids = {"GPU-1"};
  other.add("float16", {1e-3}).get().info.environment.device_uuids = {"GPU-2"};
  const DeviceTable table = device_table(Runs{one, other}, {.prices = {{"A", 5}}});
  EXPECT_DOUBLE_EQ(*table.columns[0].price_per_h, 5);
  EXPECT_DOUBLE_EQ(*table.columns[1].price_per_h, 5);
}

TEST(DeviceTable, AReferenceWithoutAPriceLeavesNoWorkForTheMoney) {
  const Runs runs{DeviceRun("H100").add("float16", {3.6e-3}),
                  DeviceRun("B200").add("float16", {1.8e-3})};
  const DeviceTable table = device_table(runs, {.prices = {{"B200", 6}}});
  EXPECT_FALSE(table.summaries[1].work_ratio);
  EXPECT_TRUE(table.rows[0].cells[1].price);
}

TEST(DeviceTable, MeansAreOverTheCasesThatAllDevicesHave) {
  DeviceRun whole("A"), fast("B"), half("C"), little("D");
  for (const char* const dtype : {"d0", "d1", "d2", "d3", "d4"}) {
    whole.add(dtype, {1e-3});
    fast.add(dtype, {dtype[1] < '4' ? 0.5e-3 : 0.01e-3});
  }
  for (const char* const dtype : {"d1", "d2", "d3"}) half.add(dtype, {2e-3});
  little.add("d0", {1e-3});
  const DeviceTable table = device_table(Runs{whole, little, half, fast}, {});
  EXPECT_EQ(table.common, 3U);
  EXPECT_DOUBLE_EQ(*table.summaries[3].mean_ratio, 2);  // without the ×100 of d4
  EXPECT_DOUBLE_EQ(*table.summaries[2].mean_ratio, 0.5);
  EXPECT_FALSE(table.summaries[1].is_compared);
  EXPECT_FALSE(table.summaries[1].mean_ratio);
  EXPECT_EQ(table.summaries[3].cases, 5U);
  EXPECT_FALSE(table.rows[0].is_common);
  EXPECT_TRUE(table.rows[1].is_common);
}

TEST(DeviceTable, CardsOfOneModelGiveRatiosTheirUncertainty) {
  DeviceRun one("A"), other("A"), faster("B");
  for (const char* const dtype : {"d0", "d1"}) {
    one.add(dtype, {1e-3, 1e-3}).get().info.environment.device_uuids = {"GPU-1"};
    other.add(dtype, {1.02e-3, 1.02e-3}).get().info.environment.device_uuids = {"GPU-2"};
    faster.add(dtype, {0.5e-3, 0.5e-3}).get().info.environment.device_uuids = {"GPU-3"};
  }
  const DeviceTable table = device_table(Runs{one, other, faster}, {});
  ASSERT_TRUE(table.cards);
  EXPECT_EQ(table.cards->cards, 2U);
  EXPECT_EQ(table.cards->models, std::vector<std::string>{"A"});
  EXPECT_NEAR(table.cards->deviation, std::log(1.02) / std::sqrt(2), 1e-12);
  // t(0.995, 2) = 9.925: two cases show it.
  EXPECT_NEAR(table.cards->half_width, 9.925 * std::log(1.02), 1e-4);
  EXPECT_NEAR(std::log(*table.summaries[2].mean_high / 2), table.cards->half_width, 1e-9);
  EXPECT_NEAR(std::log(*table.rows[0].cells[2].ratio_high / 2), table.cards->half_width, 1e-9);
  EXPECT_FALSE(table.summaries[0].mean_low);
  EXPECT_FALSE(device_table(Runs{one, faster}, {}).cards);
}

TEST(DeviceTable, CasesStandFromSmallToLarge) {
  DeviceRun one("A"), other("B");
  for (DeviceRun* run : {&one, &other}) {
    for (const char* const dtype : {"a", "b", "c", "d"}) run->add(dtype, {1e-3});
    auto& rows = run->get().rows;
    rows[0].flops = 3e9, rows[1].flops = 1e9, rows[2].flops = kUnknown, rows[3].flops = 2e9;
  }
  const DeviceTable table = device_table(Runs{one, other}, {});
  std::string order;
  for (const DeviceRow& row : table.rows) order += row.case_id.back();
  EXPECT_EQ(order, "cbda");  // the bytes of c are known: 1 MB
}

TEST(DeviceTable, WhatItComesToIsOfTimesAlone) {
  const Runs runs{DeviceRun("A").add("float16", {4e-3}).add("float16", {8}, "peak_memory", "B"),
                  DeviceRun("B").add("float16", {1e-3}).add("float16", {8}, "peak_memory", "B")};
  const DeviceTable table = device_table(runs, {});
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.summaries[1].cases, 1U);
  EXPECT_DOUBLE_EQ(*table.summaries[1].mean_ratio, 4);
  EXPECT_TRUE(table.rows[0].is_summed_up);
  EXPECT_FALSE(table.rows[1].is_summed_up);
}

TEST(DeviceTable, TheShareIsOfEachDevicesOwnCalibration) {
  DeviceRun reference("A"), other("B");
  reference.add("float16", {1e-3}).get().info.calibration = {{"copy_bytes_per_s", 1e12},
                                                             {"matmul_float16_flops_per_s", 2e12}};
  other.add("float16", {1e-3});
  const DeviceTable table = device_table(Runs{reference, other}, {});
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[0].share, 0.5);
  EXPECT_FALSE(table.rows[0].cells[1].share);
  EXPECT_TRUE(table.columns[0].is_calibrated);
  EXPECT_FALSE(table.columns[1].is_calibrated);
}

TEST(DeviceTable, TheStacksDifferencesAreNamedAndTheDevicesOwnAreNot) {
  DeviceRun reference("A"), other("B");
  reference.add("float16", {1e-3});
  other.add("float16", {1e-3});
  reference.get().info.environment.driver = "580";
  other.get().info.environment.driver = "570";
  other.get().info.environment.cudnn = "9.1";
  other.get().info.environment.device_uuids = {"GPU-2"};
  other.get().info.environment.power_limit_w = 1000;
  const DeviceTable table = device_table(Runs{reference, other}, {});
  ASSERT_EQ(table.columns[1].stack.size(), 2U);
  EXPECT_EQ(table.columns[1].stack[0].label, "driver");
  EXPECT_EQ(table.columns[1].stack[1].label, "cuDNN");
  EXPECT_TRUE(table.columns[0].stack.empty());
}

TEST(DeviceTable, RunsOfOneModelHaveNamesOfTheirOwn) {
  DeviceRun slow("A"), fast("A"), again("A");
  slow.add("float16", {1e-3}).get().info.environment.power_limit_w = 350;
  fast.add("float16", {1e-3}).get().info.environment.power_limit_w = 700;
  again.add("float16", {1e-3}).get().info.environment.power_limit_w = 700;
  const DeviceTable table = device_table(Runs{slow, fast, again}, {});
  EXPECT_EQ(table.columns[0].name, "A (350)");
  EXPECT_EQ(table.columns[1].name, "A (700)");
  EXPECT_EQ(table.columns[2].name, "A (700) #2");
}

TEST(DeviceTable, AClassIsNamedWhereTheModelDoesNotTellItApart) {
  DeviceRun full("H200, 700 W"), less("H200, 500 W"), other("B200, 1000 W");
  for (DeviceRun* one : {&full, &less, &other}) {
    Environment& own = one->add("float16", {1e-3}).get().info.environment;
    own.device_model = own.device_class.substr(0, 4);
  }
  const DeviceTable table = device_table(Runs{full, less, other}, {});
  EXPECT_EQ(table.columns[0].name, "H200, 700 W");
  EXPECT_EQ(table.columns[1].name, "H200, 500 W");
  EXPECT_EQ(table.columns[2].name, "B200");
  full.get().info.environment.device_uuids = {"GPU-b35e8db1-5000-7975"};
  plumbline::Run card = full;
  card.info.environment.device_uuids = {"GPU-5ae65999-6d33-6f6f"};
  EXPECT_EQ(device_table(Runs{full, card}, {}).columns[1].name, "H200 (GPU-5ae65999)");
}

TEST(DeviceTable, VariantsAreOfOneDeviceAndOfTheSameWork) {
  DeviceRun before("A"), after("A"), elsewhere("B"), other("A");
  before.add("float16", {3e-3});
  after.add("float16", {1e-3}).get().rows[0].error_rel_l2 = 2e-4;
  elsewhere.add("float16", {1e-3});
  other.add("int8", {1e-3});
  const DeviceOptions options{.variants = {"before", "after"}};
  const Runs good{before, after};
  const DeviceTable table = device_table(good, options);
  EXPECT_TRUE(table.are_variants);
  EXPECT_EQ(table.columns[1].name, "after");
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[1].ratio, 3);
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[1].error, 2e-4);
  EXPECT_FALSE(table.rows[0].cells[0].error);
  EXPECT_EQ(mistake(Runs{before, elsewhere}, options),
            "variants are of one device: runs/A is of 'A', runs/B of 'B'; `plumbline devices` sets "
            "devices side by side");
  EXPECT_EQ(mistake(Runs{before, other}, options),
            "'before' and 'after' are no variants of the same work: no such case in this run");
}

TEST(DeviceTable, OneRunOrNoCaseIsNoTable) {
  const Runs one{DeviceRun("A").add("float16", {1e-3})};
  EXPECT_EQ(mistake(one, {}), "found 1 run; devices side by side are at least two");
  EXPECT_NE(mistake({one[0], DeviceRun("B")}, {.metrics = {"wall"}}).find("no such metric"),
            std::string::npos);
  EXPECT_NE(mistake({DeviceRun("A"), DeviceRun("B")}, {}).find("no case with samples"),
            std::string::npos);
}

TEST(RatioText, HasThreeSignificantDigits) {
  EXPECT_EQ(ratio_text(1.5234), "×1.52");
  EXPECT_EQ(ratio_text(0.08341), "×0.0834");
  EXPECT_EQ(ratio_text(12.34), "×12.3");
  EXPECT_EQ(ratio_text(1234), "×1234");
  EXPECT_EQ(ratio_text(1), "×1.00");
  EXPECT_EQ(ratio_text(1.5e300), "×1.50e+300");
  EXPECT_EQ(ratio_text(5e-324), "×4.94e-324");
  EXPECT_EQ(ratio_text(0), "×0.00");
  EXPECT_EQ(ratio_text(0.9996), "×1.00");
  EXPECT_EQ(ratio_text(99.96), "×100");
}

TEST(RatioText, EndsOfARangeThatAreNearHaveTheSameDecimals) {
  EXPECT_EQ(ratio_range_text(0.969, 1.0071), "×0.969 to ×1.007");
  EXPECT_EQ(ratio_range_text(0.0858, 3.161), "×0.0858 to ×3.16");
}

TEST(RatioText, AnIntervalHasTheDecimalsOfItsRatio) {
  EXPECT_EQ(ratio_text(0.9996, 0.9958, 1.0034), "×1.000 [0.996, 1.003]");
  EXPECT_EQ(ratio_text(1.5, 1.44, 1.56), "×1.50 [1.44, 1.56]");
  EXPECT_EQ(ratio_text(0.4, 0.3852, 0.4153), "×0.400 [0.385, 0.415]");
  EXPECT_EQ(ratio_text(12.34, 6.1, 25), "×12 [6, 25]");
  EXPECT_EQ(ratio_text(2, 2, 2), "×2.000 [2.000, 2.000]");
  EXPECT_EQ(ratio_text(1.5, {}, {}), "×1.50");
}

}  // namespace
}  // namespace plumbline
