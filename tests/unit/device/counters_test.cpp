// Hardware counters: CUPTI's range profiler with a stand-in of the library, the formulas of
// metrics, and their names by the real CUPTI's lists, which need no GPU.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/run/metric.h"
#include "device/cuda/cupti/counter_formulas.h"
#include "device/cuda/cupti/range_profiler.h"
#include "support/fake_cupti/fake_cupti.h"

namespace plumbline::cuda {
namespace {

using Strings = std::vector<std::string>;
constexpr int kNoPermission = 35, kBusy = 26;  // CUptiResult

/// The real class with the test's library.
class RangeProfilerTest : public testing::Test {
 protected:
  RangeProfilerTest() : library_(dlopen(PLUMBLINE_FAKE_CUPTI, RTLD_NOW | RTLD_LOCAL)) {
    fake_ = reinterpret_cast<decltype(&fake_cupti)>(dlsym(library_, "fake_cupti"))();
    *fake_ = {};
  }
  ~RangeProfilerTest() override { dlclose(library_); }

  static RangeProfiler opened() { return {0, nullptr, needed_counters(), PLUMBLINE_FAKE_CUPTI}; }

  /// Why no profiler can be opened.
  static std::string refusal() {
    try {
      opened();
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.kind, DeviceError::Kind::recoverable);
      return error.what();
    }
    return "";
  }

  static bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  void* library_;
  testing_support::FakeCupti* fake_;
};

TEST_F(RangeProfilerTest, EachPassRestoresLaunchesAndLooksInThisOrder) {
  RangeProfiler profiler = opened();
  EXPECT_FALSE(fake_->is_enabled) << "off until something is counted";
  Strings steps;
  fake_->values["dram__bytes.sum"] = 5e6;
  const auto values =
      profiler.count({[&] {
                        EXPECT_FALSE(fake_->is_started) << "restoring counts not";
                        steps.emplace_back("before");
                      },
                      [&] {
                        EXPECT_TRUE(fake_->is_started);
                        EXPECT_EQ(fake_->calls.back(), "cuptiRangeProfilerPushRange");
                        steps.emplace_back("launch");
                      },
                      [&] {
                        EXPECT_FALSE(fake_->is_started) << "looking counts not";
                        steps.emplace_back("after");
                      }});
  EXPECT_EQ(steps, (Strings{"before", "launch", "after", "before", "launch", "after", "before",
                            "launch", "after"}));
  EXPECT_EQ(values.at("dram__bytes.sum"), 5e6);
  EXPECT_FALSE(fake_->is_enabled);
}

TEST_F(RangeProfilerTest, CountsAgainWithAllPasses) {
  RangeProfiler profiler = opened();
  int launches = 0;
  const RangeProfiler::Pass pass{[] {}, [&] { ++launches; }, [] {}};
  profiler.count(pass);
  profiler.count(pass);
  EXPECT_EQ(launches, 2 * fake_->passes);
}

TEST_F(RangeProfilerTest, ARefusalSaysWhatTheDriverAllowsAndWhatToDo) {
  fake_->refusals["cuptiProfilerGetCounterAvailability"] = kNoPermission;
  const std::string said = refusal();
  EXPECT_TRUE(holds(said, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES")) << said;
  EXPECT_TRUE(holds(said, "NVreg_RestrictProfilingToAdminUsers=0")) << said;
  fake_->refusals = {{"cuptiRangeProfilerEnable", kBusy}};
  EXPECT_TRUE(holds(refusal(), "another profiler")) << refusal();
  fake_->refusals.clear();
  fake_->is_virtual = true;
  EXPECT_TRUE(holds(refusal(), "a virtual GPU")) << refusal();
}

TEST_F(RangeProfilerTest, ALibraryThatIsNotThereIsAReason) {
  try {
    RangeProfiler(0, nullptr, needed_counters(), "/nowhere/libcupti.so.13");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_TRUE(holds(error.what(), "CUPTI cannot be loaded")) << error.what();
  }
}

TEST_F(RangeProfilerTest, AFailureOnTheWayLeavesTheProfilerOff) {
  RangeProfiler profiler = opened();
  const RangeProfiler::Pass pass{[] {}, [] {}, [] {}};
  fake_->refusals["cuptiRangeProfilerStart"] = kNoPermission;
  EXPECT_THROW(profiler.count(pass), DeviceError);
  EXPECT_FALSE(fake_->is_enabled);
  fake_->refusals.clear();
  EXPECT_THROW(profiler.count({[] {}, [] { throw std::runtime_error("launch"); }, [] {}}),
               std::runtime_error);
  EXPECT_FALSE(fake_->is_enabled);
  EXPECT_FALSE(fake_->is_started);
  fake_->ranges = 0;
  EXPECT_THROW(profiler.count(pass), DeviceError) << "it lost the launch";
  fake_->ranges = 1;
  EXPECT_FALSE(profiler.count(pass).empty()) << "the next launch is counted";
  fake_->passes = 1000;
  EXPECT_THROW(profiler.count(pass), DeviceError) << "it never ends";
}

TEST_F(RangeProfilerTest, CountersThatTheChipLacksLeaveTheOthers) {
  fake_->lacking = {"smsp__warps_issue_stalled_gmma.sum"};
  fake_->chip = "GA100";
  RangeProfiler profiler = opened();
  EXPECT_EQ(profiler.counters().size(), needed_counters().size() - 1);
  const auto values = profiler.count({[] {}, [] {}, [] {}});
  EXPECT_EQ(
      counted(values, profiler.chip()).absent,
      (std::map<std::string, std::string>{
          {"stall_gmma", "the chip GA100 has no counter smsp__warps_issue_stalled_gmma.sum"}}));
}

TEST(CounterFormulas, GiveEachMetricOfTheTableInItsUnit) {
  std::map<std::string, double> counters;
  for (const std::string_view name : needed_counters()) counters[std::string(name)] = 50;
  counters["lts__t_sectors_srcunit_tex.sum"] = 200;
  counters["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] = 0;
  const CounterReading reading = counted(counters, "GH100");
  EXPECT_EQ(reading.values.at("l2_bytes"), 6400) << "sectors of 32 bytes";
  EXPECT_EQ(reading.values.at("l2_hit_rate"), 0.25);
  EXPECT_EQ(reading.values.at("tensor_active"), 0.5) << "percent become a share";
  EXPECT_EQ(reading.values.at("stall_wait"), 1);
  EXPECT_TRUE(reading.absent.contains("sectors_per_store")) << "it stores nothing";
  std::size_t of_table = 0;
  for (const Metric& metric : metrics()) {
    if (metric.profile != Profile::counters) continue;
    ++of_table;
    EXPECT_TRUE(reading.values.contains(std::string(metric.name)) ||
                reading.absent.contains(std::string(metric.name)))
        << metric.name << " has no formula";
  }
  EXPECT_EQ(of_table, counter_formulas().size()) << "a formula has no metric";
}

/// Of `needed_counters()`, those that the real CUPTI does not know for the chip.
Strings unknown_on(const std::string& chip) {
  const std::vector<std::string_view> wanted = needed_counters();
  const Strings known = RangeProfiler::counters_of(chip, wanted, PLUMBLINE_CUPTI);
  Strings unknown;
  for (const std::string_view name : wanted)
    if (std::ranges::find(known, name) == known.end()) unknown.emplace_back(name);
  return unknown;
}

TEST(CounterNames, AreThoseOfEveryChipSinceAmpere) {
  const std::string of_hopper = "smsp__warps_issue_stalled_gmma.sum";
  EXPECT_EQ(unknown_on("GH100"), Strings{});
  for (const char* const chip : {"GA100", "AD102", "GB100"})
    EXPECT_EQ(unknown_on(chip), Strings{of_hopper}) << chip;
  EXPECT_EQ(unknown_on("GB202"),
            (Strings{"dram__bytes_read.sum", "dram__bytes_write.sum", of_hopper}));
  EXPECT_THROW(unknown_on("GX1"), DeviceError);
}

}  // namespace
}  // namespace plumbline::cuda
