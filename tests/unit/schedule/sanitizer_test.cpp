#include "schedule/sanitizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace plumbline {
namespace {

constexpr const char* kHead = "========= COMPUTE-SANITIZER\n";
constexpr const char* kCleanEnd = "========= ERROR SUMMARY: 0 errors\n";

std::string finding(const std::string& kernel) {
  return "========= Invalid __global__ write of size 4 bytes\n=========     at " + kernel +
         "()+0x10\n=========     by thread (0,0,0) in block (0,0,0)\n=========\n";
}

Case make_case(const std::string& id) {
  Case c;
  c.suite = "s";
  c.id = id;
  c.policy = std::make_shared<Policy>();
  return c;
}

/// What a case does, and when the tool reports it.
struct Behaviour {
  Status status = Status::ok;
  bool is_found = false;
  enum class Told { at_once, one_case_late, at_the_end } told = Told::at_once;
};

/// A tool with its workers: cases with planted behaviour, and a log as written by each worker's
/// tool.
struct World {
  std::map<std::string, Behaviour> planted;
  std::string start = kHead;
  bool writes_summary = true;
  int interrupt_at = -1;                          // launches until the user interrupts
  std::vector<std::vector<std::string>> workers;  // ids that each ran
  int launches = 0;

  SanitizedWorkerFactory factory();
};

class ScriptedWorker : public Worker {
 public:
  ScriptedWorker(World& world, std::shared_ptr<std::string> log)
      : world_(world), log_(std::move(log)) {
    world.workers.emplace_back();
    *log_ = world.start;
  }
  const Hello& hello() const override { return hello_; }
  const std::string& name() const override { return name_; }
  bool usable() const override { return usable_; }

  std::optional<MeasureAnswer> measure(const MeasureRequest& request, double) override {
    if (world_.launches++ == world_.interrupt_at) return std::nullopt;
    world_.workers.back().push_back(request.subject.id);
    *log_ += late_;
    late_.clear();
    const Behaviour& planted = world_.planted[request.subject.id];
    if (planted.is_found) {
      ++errors_;
      std::string& where = planted.told == Behaviour::Told::at_once         ? *log_
                           : planted.told == Behaviour::Told::one_case_late ? late_
                                                                            : at_end_;
      where += finding("kernel_of_" + request.subject.id);
    }
    if (planted.status == Status::timeout) usable_ = false;
    MeasureAnswer answer;
    answer.status = planted.status;
    if (planted.status != Status::ok) answer.reason = "planted";
    return answer;
  }

  WorkerEnd finish() override {
    usable_ = false;
    *log_ += late_ + at_end_;
    if (world_.writes_summary)
      *log_ += "========= ERROR SUMMARY: " + std::to_string(errors_) + " errors\n";
    return {};
  }

 private:
  World& world_;
  std::shared_ptr<std::string> log_;
  std::string late_, at_end_, name_ = "sanitizer-1";
  Hello hello_;
  int errors_ = 0;
  bool usable_ = true;
};

SanitizedWorkerFactory World::factory() {
  return [this]() -> SanitizedWorker {
    auto log = std::make_shared<std::string>();
    return {std::make_unique<ScriptedWorker>(*this, log), [log] { return *log; }};
  };
}

std::map<std::string, Status> statuses(const SanitizerResult& result) {
  std::map<std::string, Status> found;
  for (const CheckedCase& checked : result.cases) found[checked.case_id] = checked.status;
  return found;
}

SanitizerResult check(World& world, const std::vector<std::string>& ids) {
  std::vector<Case> cases;
  for (const std::string& id : ids) cases.push_back(make_case(id));
  return check_cases(cases, "memcheck", world.factory(), {}, nullptr);
}

TEST(Sanitizer, CleanCasesShareOneWorker) {
  World world;
  const auto result = check(world, {"a", "b", "c"});
  EXPECT_EQ(statuses(result), (std::map<std::string, Status>{
                                  {"a", Status::ok}, {"b", Status::ok}, {"c", Status::ok}}));
  EXPECT_EQ(world.workers.size(), 1u);
  EXPECT_EQ(result.launched, 3u);
}

class SanitizerTold : public testing::TestWithParam<Behaviour::Told> {};

TEST_P(SanitizerTold, AFindingIsOfTheCaseThatCausedItHoweverLateTheToolTellsIt) {
  for (const std::string bad : {"a", "b", "c", "d", "e"}) {
    World world;
    world.planted[bad] = {.is_found = true, .told = GetParam()};
    const auto result = check(world, {"a", "b", "c", "d", "e"});
    ASSERT_EQ(result.cases.size(), 5u);
    for (const CheckedCase& checked : result.cases) {
      EXPECT_EQ(checked.status, checked.case_id == bad ? Status::wrong : Status::ok)
          << checked.case_id << " with " << bad;
      if (checked.case_id == bad) {
        EXPECT_EQ(checked.reason,
                  "memcheck: Invalid __global__ write of size 4 bytes at kernel_of_" + bad +
                      "() by thread (0,0,0) in block (0,0,0) (1 error)");
      } else {
        EXPECT_TRUE(checked.report.is_clean());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Times, SanitizerTold,
                         testing::Values(Behaviour::Told::at_once, Behaviour::Told::one_case_late,
                                         Behaviour::Told::at_the_end));

TEST(Sanitizer, SeveralBadCasesAreEachFound) {
  World world;
  for (const char* bad : {"a", "c", "d", "h"})
    world.planted[bad] = {.is_found = true, .told = Behaviour::Told::at_the_end};
  const auto result = check(world, {"a", "b", "c", "d", "e", "f", "g", "h"});
  std::set<std::string> found;
  for (const CheckedCase& checked : result.cases)
    if (checked.status == Status::wrong) found.insert(checked.case_id);
  EXPECT_EQ(found, (std::set<std::string>{"a", "c", "d", "h"}));
}

TEST(Sanitizer, OneLateFindingAmongManyCasesCostsFewWorkers) {
  World world;
  std::vector<std::string> ids;
  for (int i = 0; i < 64; ++i) ids.push_back("case" + std::to_string(i));
  world.planted["case37"] = {.is_found = true, .told = Behaviour::Told::at_the_end};
  const auto result = check(world, ids);
  EXPECT_EQ(statuses(result)["case37"], Status::wrong);
  EXPECT_LE(world.workers.size(), 1u + 2u * 6u);
}

TEST(Sanitizer, AFindingComesWithWhatBecameOfTheCase) {
  World world;
  world.planted["a"] = {.status = Status::crashed, .is_found = true};
  const auto result = check(world, {"a"});
  EXPECT_EQ(result.cases[0].status, Status::wrong);
  EXPECT_TRUE(result.cases[0].reason.ends_with("(1 error); the case itself: planted"))
      << result.cases[0].reason;
}

TEST(Sanitizer, ACaseThatFailsByItselfKeepsItsStatusAndReason) {
  World world;
  world.planted["b"] = {.status = Status::crashed};
  const auto result = check(world, {"a", "b", "c"});
  EXPECT_EQ(result.cases[1].status, Status::crashed);
  EXPECT_EQ(result.cases[1].reason, "planted");
  EXPECT_EQ(result.cases[2].status, Status::ok);
  EXPECT_GE(world.workers.size(), 2u);
}

TEST(Sanitizer, ACaseWhoseToolDidNotComeToItsEndIsNotAcquitted) {
  World world;
  world.writes_summary = false;
  const auto result = check(world, {"a", "b"});
  for (const CheckedCase& checked : result.cases) {
    EXPECT_EQ(checked.status, Status::crashed);
    EXPECT_EQ(checked.reason, "memcheck: it did not come to its end");
  }
}

TEST(Sanitizer, FindingsBeforeTheFirstCaseAreAnError) {
  World world;
  world.start = kHead + finding("own_kernel");
  try {
    check(world, {"a"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("own_kernel"), std::string::npos);
  }
}

TEST(Sanitizer, WhatTheToolSaysAtItsStartIsTold) {
  World world;
  world.start = std::string(kHead) + "========= Warning: the device is old\n";
  std::vector<std::string> notes;
  SanitizerEvents events;
  events.on_note = [&](const std::string& note) { notes.push_back(note); };
  const std::vector<Case> cases{make_case("a"), make_case("b")};
  const auto result = check_cases(cases, "memcheck", world.factory(), events, nullptr);
  EXPECT_EQ(notes, std::vector<std::string>{"memcheck: Warning: the device is old"});
  EXPECT_EQ(statuses(result)["b"], Status::ok);
}

TEST(Sanitizer, ACaseThatItsWorkerRefusesWasNotLaunched) {
  World world;
  world.planted["b"].status = Status::unsupported;
  const auto result = check(world, {"a", "b"});
  EXPECT_EQ(statuses(result)["b"], Status::unsupported);
  EXPECT_EQ(result.launched, 1u);
}

TEST(Sanitizer, CasesThatDoNotRunHaveTheirReasonAndAreNotLaunched) {
  World world;
  std::vector<Case> cases{make_case("a"), make_case("b")};
  cases[0].excluded = "too large";
  cases[1].unsupported = "not built";
  const auto result = check_cases(cases, "memcheck", world.factory(), {}, nullptr);
  EXPECT_EQ(result.launched, 0u);
  EXPECT_EQ(result.cases[0].status, Status::excluded);
  EXPECT_EQ(result.cases[0].reason, "too large");
  EXPECT_EQ(result.cases[1].status, Status::unsupported);
  EXPECT_TRUE(world.workers.empty());
}

TEST(Sanitizer, WhatWasSettledBeforeAnInterruptIsKept) {
  World world;
  world.planted["b"] = {.is_found = true};
  world.interrupt_at = 4;  // a, b: found; b alone, a again; then c
  const auto result = check(world, {"a", "b", "c"});
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(statuses(result),
            (std::map<std::string, Status>{{"a", Status::ok}, {"b", Status::wrong}}));
}

}  // namespace
}  // namespace plumbline
