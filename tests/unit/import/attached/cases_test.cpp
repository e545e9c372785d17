#include "import/attached/cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumbline {
namespace {

/// A process that launches one kernel after another on one stream, 100 ns apart.
class Program {
 public:
  Program() {
    process_.pid = 42;
    process_.is_started = process_.is_closed = true;
    process_.devices[0] = {"GPU-1", "Fake GPU", 4, 1024, 512};
  }
  Program& launch(const std::string& name, std::int64_t grid, std::vector<std::int64_t> times_ns) {
    for (const std::int64_t time : times_ns) {
      AttachedActivity& activity = process_.activities.emplace_back();
      activity.name = number_of(name);
      activity.is_kernel = true;
      activity.grid = {grid, 1, 1};
      activity.block = {32, 2, 1};
      activity.start_ns = now_ns_ += 100;
      activity.end_ns = now_ns_ += time;
    }
    return *this;
  }
  Program& range(const std::string& name, std::vector<std::int64_t> times_ns) {
    for (const std::int64_t time : times_ns)
      process_.ranges.push_back({name, now_ns_, now_ns_ + time});
    return *this;
  }
  AttachedProcess process_;

 private:
  std::size_t number_of(const std::string& name) {
    const auto known = std::ranges::find(process_.names, name);
    if (known != process_.names.end()) return std::size_t(known - process_.names.begin());
    process_.names.push_back(name);
    return process_.names.size() - 1;
  }
  std::int64_t now_ns_ = 1000;
};

class AttachedCases : public testing::Test {
 protected:
  void collect(const std::vector<Program>& programs, const std::string& failure = "") {
    AttachedVisit visit;
    for (const Program& program : programs) visit.processes.push_back(program.process_);
    visit.wall_s = 1;
    visit.failure = failure;
    visit.round = 2;
    visit.worker = "attach-2";
    visits_ = cases_of(visit, "app", facts_);
  }
  /// The row of that case and metric; fails if there is none.
  const ResultRow& row(const std::string& id, const std::string& metric) const {
    for (const auto& rows : visits_)
      for (const ResultRow& row : rows)
        if (row.case_id == id && row.metric == metric) return row;
    static const ResultRow none;
    ADD_FAILURE() << "no " << id << " with " << metric;
    return none;
  }
  bool has(const std::string& id, const std::string& metric) const {
    return std::ranges::any_of(visits_, [&](const auto& rows) {
      return std::ranges::any_of(
          rows, [&](auto& row) { return row.case_id == id && row.metric == metric; });
    });
  }
  static std::vector<double> nanoseconds(const ResultRow& row) {
    std::vector<double> values;
    for (const double value : row.samples.values()) values.push_back(std::round(value * 1e9));
    return values;
  }

  AttachedFacts facts_;
  VisitsOfCases visits_;
};

using Times = std::vector<double>;
constexpr const char* kScale = "scale(float*)/program/block=32x2/grid=8";

TEST_F(AttachedCases, AKernelWithItsGridAndBlockIsACase) {
  collect(
      {Program().launch("_Z5scalePf", 8, {900, 400, 420}).launch("_Z5scalePf", 16, {800, 600})});
  const ResultRow& judged = row(kScale, "kernel_time_attached");
  EXPECT_EQ(nanoseconds(judged), (Times{400, 420}));
  EXPECT_EQ(judged.suite, "app");
  EXPECT_EQ(judged.op, "kernel");
  EXPECT_EQ(judged.device, "GPU-1");
  EXPECT_EQ(judged.round, 2);
  EXPECT_EQ(judged.status, Status::unverified);
  EXPECT_NE(judged.kernels.find("\"name\":\"scale(float*)\""), std::string::npos);
  EXPECT_EQ(nanoseconds(row("scale(float*)/program/block=32x2/grid=16", "kernel_time_attached")),
            Times{600});
  EXPECT_EQ(row(kScale, "launches").samples.values()[0], 3);
  EXPECT_EQ(nanoseconds(row(kScale, "gap_before")), (Times{100, 100}));
}

TEST_F(AttachedCases, TheFirstLaunchOfEachProcessIsApart) {
  const Program one = Program().launch("_Z5scalePf", 8, {900, 400});
  const Program two = Program().launch("_Z5scalePf", 8, {800, 500});
  collect({one, two});
  EXPECT_EQ(nanoseconds(row(kScale, "first_time")), (Times{900, 800}));
  EXPECT_EQ(nanoseconds(row(kScale, "kernel_time_attached")), (Times{400, 500}));
}

TEST_F(AttachedCases, TheOnlyLaunchCountsAndIsMarked) {
  collect({Program().launch("_Z5scalePf", 8, {900})});
  const ResultRow& judged = row(kScale, "kernel_time_attached");
  EXPECT_EQ(nanoseconds(judged), Times{900});
  EXPECT_EQ(judged.flags, std::vector<std::string>{kFlagRanOnce});
  EXPECT_FALSE(has(kScale, "first_time"));
}

TEST_F(AttachedCases, ManyLaunchesBecomeMeansAndNoneIsLost) {
  std::vector<std::int64_t> times(1 + 5000);
  std::iota(times.begin(), times.end(), 100);
  collect({Program().launch("_Z5scalePf", 8, times)});
  const ResultRow& judged = row(kScale, "kernel_time_attached");
  EXPECT_EQ(judged.batch, 5);
  EXPECT_EQ(judged.samples.blocks(), 16u);
  EXPECT_EQ(judged.samples.values().size(), 1000u);
  EXPECT_NEAR(judged.samples.values()[0] * 1e9, 103, 0.01);
  EXPECT_NEAR(judged.samples.values()[999] * 1e9, 100 + 4998, 0.01);
}

TEST_F(AttachedCases, KernelsThatShareACaseAreNamed) {
  const std::string one = "_Z5applyIZ2goPfEUlfE_EvT_S0_", two = "_Z5applyIZ2goPfEUlfE0_EvT_S0_";
  collect({Program().launch(one, 8, {900, 400}).launch(two, 8, {900, 500})});
  const std::vector<std::string> notes = notes_of(facts_);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("2 different kernels share the case apply<go"), std::string::npos);
  EXPECT_NE(notes[0].find("{lambda(float)#2}"), std::string::npos);
}

TEST_F(AttachedCases, AKernelThatIsRenamedInEachProcessIsOneCaseAndNoNews) {
  collect({Program().launch("triton_poi_fused_add_0", 8, {900, 400}),
           Program().launch("triton_poi_fused_add_3", 8, {900, 400})});
  EXPECT_EQ(row("triton_poi_fused_add/program/block=32x2/grid=8", "launches").samples.values()[0],
            4);
  EXPECT_TRUE(notes_of(facts_).empty());
}

TEST_F(AttachedCases, ARangeIsACaseByItsStableName) {
  collect({Program().launch("k", 1, {10}).range("step 1", {500}).range("step 2", {300})});
  EXPECT_EQ(nanoseconds(row("step/nvtx", "range_time")), Times{300});
  EXPECT_EQ(nanoseconds(row("step/nvtx", "first_time")), Times{500});
}

TEST_F(AttachedCases, TheWholeProgramHasSums) {
  collect({Program().launch("k", 1, {1000, 500}).launch("m", 1, {200})});
  EXPECT_EQ(nanoseconds(row("app/program", "program_kernel_time")), Times{1700});
  EXPECT_EQ(nanoseconds(row("app/program", "program_idle_time")), Times{200});
  EXPECT_EQ(row("app/program", "program_wall_time").samples.values()[0], 1);
  EXPECT_FALSE(has("app/program", "program_copy_time"));
}

TEST_F(AttachedCases, AProgramThatFailedIsMarkedAndItsKernelsStay) {
  collect({Program().launch("_Z5scalePf", 8, {900, 400})}, "exited with code 3");
  const ResultRow& program = row("app/program", "");
  EXPECT_EQ(program.status, Status::crashed);
  EXPECT_EQ(program.reason, "the program exited with code 3");
  EXPECT_TRUE(program.samples.empty());
  EXPECT_EQ(nanoseconds(row(kScale, "kernel_time_attached")), Times{400});
}

TEST_F(AttachedCases, WhatIsMissingIsTold) {
  Program program = Program().launch("k", 1, {1000});
  program.process_.lost = 5;
  program.process_.unfinished = 1;
  program.process_.is_closed = false;
  collect({program});
  const std::vector<std::string> notes = notes_of(facts_);
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_EQ(notes[0],
            "run 3 of the program, process 42 ended without exit(), or its disk was full: its last "
            "launches may be missing");
  EXPECT_EQ(notes[1],
            "run 3 of the program, process 42: 1 launch or copy had not ended when it exited, and "
            "is left out");
  EXPECT_EQ(
      notes[2],
      "run 3 of the program, process 42: CUPTI lost 5 records: counts and sums are too small");
}

TEST(NothingRan, SaysWhy) {
  EXPECT_EQ(why_nothing_ran({}).substr(0, 37), "CUDA did not start in the program, or");
  AttachedProcess process;
  EXPECT_EQ(why_nothing_ran({process}),
            "CUDA started in one process, but no launch of a kernel was recorded");
  process.unfinished = 2;
  EXPECT_NE(why_nothing_ran({process}).find("2 had not ended"), std::string::npos);
  process.refused = "no CUPTI";
  EXPECT_EQ(why_nothing_ran({process}), "the recorder was refused: no CUPTI");
}

}  // namespace
}  // namespace plumbline
