#include "schedule/pairs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "unit/schedule/scripted_world.h"

namespace plumbline {
namespace {

/// A scripted worker of either side, with the arena that it got at its start.
struct PairWorld {
  World a, b;
  std::vector<std::string> arenas;  // "a share", "b handle-of-a", …
  bool refuses_handles = false;
  double clock_s = 0, start_s = 1, visit_s = 1;
  int visits = 0, fails_from = 1000;
  std::vector<std::string> declared_n;  // "a 77": of each visit the parameter n, where it has one
  /// How many workers were to stand by, and when.
  std::map<const World*, std::vector<std::string>> expected;

  class WithArena : public Worker {
   public:
    WithArena(PairWorld& world, std::string side, std::unique_ptr<Worker> inner, std::string arena)
        : world_(world), side_(std::move(side)), inner_(std::move(inner)) {
      hello_ = inner_->hello();
      hello_.arena = std::move(arena);
    }
    const Hello& hello() const override { return hello_; }
    const std::string& name() const override { return inner_->name(); }
    std::optional<MeasureAnswer> measure(const MeasureRequest& request, double s) override {
      world_.clock_s += world_.visit_s;
      if (const auto n = request.subject.params.find("n"); n != request.subject.params.end())
        world_.declared_n.push_back(side_ + ' ' + to_text(n->second));
      const std::optional<MeasureAnswer> answer = inner_->measure(request, s);
      return ++world_.visits >= world_.fails_from ? bad_answer(Status::wrong) : answer;
    }
    bool usable() const override { return inner_->usable(); }
    WorkerEnd finish() override { return inner_->finish(); }

   private:
    PairWorld& world_;
    std::string side_;
    std::unique_ptr<Worker> inner_;
    Hello hello_;
  };

  PairWorkers side(World& world, const std::string& name) {
    PairWorkers workers;
    workers.start = [this, &world, name](WorkerKind kind, const std::string& arena) {
      arenas.push_back(name + ' ' + arena);
      if (refuses_handles && arena.starts_with("handle"))
        throw WorkerStartError("the arena cannot be opened");
      clock_s += start_s;
      return std::make_unique<WithArena>(*this, name, world.factory()(kind),
                                         arena == "share" ? "handle-of-" + name : "");
    };
    workers.stand_by = [this, &world](std::span<const WorkerKind> kinds) {
      expected[&world].push_back(
          fmt::format("{} before worker {}", kinds.size(), world.started + 1));
    };
    return workers;
  }
};

struct PairOutcome {
  PairsResult result;
  std::string sides;  // of the visits, in their order: "abba…"
  std::map<std::string, std::string> sides_of;
  std::array<std::vector<ResultRow>, 2> rows;
  std::vector<std::string> notes;
  std::map<std::string, std::string> controls;  // as sides_of
  PairsCarried carried;
  std::vector<Progress> progress;
};

PairOutcome run_pairs_of(PairWorld& world, const PairPlan& plan, std::int64_t first,
                         std::int64_t last, double control_share = 0,
                         const PairsCarried* before = nullptr) {
  PairOutcome outcome;
  if (before) outcome.carried = *before;
  outcome.carried.budget = ControlBudget(control_share);
  PairEvents events;
  events.on_visit = [&](PairSide side, const Case& c, std::span<const ResultRow> rows) {
    const char letter = side == PairSide::a ? 'a' : 'b';
    outcome.sides += letter;
    outcome.sides_of[c.id + '#' + std::to_string(rows[0].round)] += letter;
    auto& kept = outcome.rows[std::size_t(side)];
    kept.insert(kept.end(), rows.begin(), rows.end());
  };
  events.on_control = [&](PairSide side, const Case& c, std::span<const ResultRow> rows) {
    outcome.controls[c.id + '#' + std::to_string(rows[0].round)] += side == PairSide::a ? 'a' : 'b';
  };
  events.on_progress = [&](const Case&, const Progress& p) { outcome.progress.push_back(p); };
  events.on_note = [&](const std::string& note) { outcome.notes.push_back(note); };
  events.now_s = [&] { return world.clock_s; };
  outcome.result =
      run_pairs(plan, first, last, {world.side(world.a, "a"), world.side(world.b, "b")}, events,
                nullptr, outcome.carried);
  return outcome;
}

/// A case that only workers of profile timing measure.
std::vector<Case> one_gpu_case() {
  auto cases = make_cases(1, 8);
  auto policy = std::make_shared<Policy>(*cases[0].policy);
  policy->metrics = {"gpu_time"};
  cases[0].policy = policy;
  return cases;
}

TEST(Pairs, AreFourVisitsOfWhichTheOuterAndTheInnerAreOfOneBuild) {
  const auto cases = make_cases(30, 4);
  PairWorld world;
  const PairOutcome outcome = run_pairs_of(world, {{cases, 1, {}, "U"}}, 0, 4);
  ASSERT_EQ(outcome.sides_of.size(), 120u);
  std::map<std::string, int> count;
  for (const auto& [pair, sides] : outcome.sides_of) ++count[sides];
  ASSERT_EQ(count.size(), 2u);
  EXPECT_EQ(count["abba"], 60) << "each case has either order once in two pairs";
  EXPECT_EQ(count["baab"], 60);
  int abba_first = 0;  // in pair 0
  for (const auto& [pair, sides] : outcome.sides_of)
    abba_first += pair.ends_with("#0") && sides == "abba";
  EXPECT_NEAR(abba_first, 15, 13) << "which comes first is drawn for each case";
  EXPECT_EQ(outcome.result.visits, 480u);
  EXPECT_EQ(outcome.rows[0].size(), outcome.rows[1].size());
}

TEST(Pairs, AreMeasuredByFreshWorkersOfBothBuilds) {
  const auto cases = make_cases(3, 5);
  PairWorld world;
  const PairOutcome outcome = run_pairs_of(world, {{cases, 1, {}, "U"}}, 0, 5);
  EXPECT_EQ(world.a.started, 5);
  EXPECT_EQ(world.b.started, 5);
  EXPECT_EQ(world.a.finished + world.b.finished, 10);
  EXPECT_EQ(outcome.result.workers, 10u);
  for (const auto& rows : outcome.rows)
    for (const ResultRow& row : rows)
      EXPECT_EQ(row.worker, "timing-" + std::to_string(row.round + 1));
}

using Expected = std::vector<std::string>;

TEST(Pairs, HaveTheWorkersOfThisTurnAndTheNextStandByBeforeEitherStarts) {
  const auto cases = make_cases(3, 3);
  PairWorld world;
  run_pairs_of(world, {{cases, 1, {}, "U"}}, 0, 2);  // a third may follow
  for (const World* side : {&world.a, &world.b})
    EXPECT_EQ(world.expected[side], (Expected{"2 before worker 1", "2 before worker 2"}));
}

TEST(Pairs, HaveNoneStandByWhereNothingCanFollow) {
  const auto cases = make_cases(2, 1);
  PairWorld world;
  run_pairs_of(world, {{cases, 1, {}, "U"}}, 0, 1);
  EXPECT_EQ(world.expected[&world.a], Expected{"1 before worker 1"});
}

/// A pair of two cases takes ten seconds: two starts and eight visits of a second each.
TEST(Pairs, TellTheLongestTimeThatIsLeftUpToTheLastPair) {
  const auto cases = make_cases(2, 8);
  PairWorld world;
  const PairOutcome first = run_pairs_of(world, {{cases, 1, {}, "U"}}, 0, 3);
  ASSERT_EQ(first.progress.size(), 6u);
  EXPECT_TRUE(std::isnan(first.progress[0].remaining_s)) << "nothing was measured yet";
  for (const Progress& progress : first.progress) EXPECT_TRUE(progress.is_longest);
  EXPECT_NEAR(first.progress[2].remaining_s, 70, 3) << "seven pairs are left, not two";
  PairsCarried carried = first.carried;
  EXPECT_DOUBLE_EQ(carried.spent_s, 30);
  const PairOutcome second =
      run_pairs_of(world, {{cases, 1, {}, "U"}}, 3, 6, /*control_share=*/0, &carried);
  EXPECT_NEAR(second.progress[0].remaining_s, 50, 3) << "known from the look before";
  carried.left_out = {0};  // it is decided
  const PairOutcome third =
      run_pairs_of(world, {{cases, 1, {}, "U"}}, 3, 6, /*control_share=*/0, &carried);
  EXPECT_NEAR(third.progress[0].remaining_s, 25, 2) << "one case is left";
}

TEST(Pairs, ControlsAreWhatSideADeclaresMeasuredByBoth) {
  const auto cases = make_cases(2, 2);
  auto of_a = cases;
  for (Case& c : of_a) c.params["n"] = std::int64_t{77};
  PairPlan plan{{cases, 1, {}, "U"}};
  plan.declared = {{{&of_a[0], &of_a[1]}, {&cases[0], &cases[1]}}};
  plan.controls = {1};
  PairWorld world;
  const PairOutcome outcome = run_pairs_of(world, plan, 0, 2, /*control_share=*/1);
  ASSERT_EQ(outcome.controls.size(), 2u);
  for (const auto& [pair, sides] : outcome.controls) {
    EXPECT_TRUE(pair.starts_with(cases[1].id)) << pair;
    EXPECT_TRUE(sides == "abba" || sides == "baab") << sides;
  }
  EXPECT_EQ(std::ranges::count(world.declared_n, "a 77"), 2 * (4 + 2));
  EXPECT_EQ(std::ranges::count(world.declared_n, "b 77"), 2 * 2) << "of controls alone";
}

TEST(Pairs, ControlsStayWithinTheirShareOfTheTime) {
  const auto cases = make_cases(3, 40);
  PairPlan plan{{cases, 1, {}, "U"}};
  plan.controls = {2, 0, 1};
  PairWorld world;
  world.start_s = 2;  // a pair takes 16 s, a control 4
  const PairOutcome outcome = run_pairs_of(world, plan, 0, 40, /*control_share=*/0.1);
  EXPECT_EQ(outcome.controls.size(), 16u) << "of 640 s a tenth";
  std::size_t of_first = 0;
  for (const auto& [pair, sides] : outcome.controls) of_first += pair.starts_with(cases[2].id);
  EXPECT_EQ(of_first, 16u) << "it has the first claim";
  EXPECT_EQ(run_pairs_of(world, plan, 0, 40).controls.size(), 0u) << "of no share";
}

TEST(Pairs, AControlThatFailsLeavesItsCaseAlone) {
  const auto cases = make_cases(1, 4);
  PairPlan plan{{cases, 1, {}, "U"}};
  plan.controls = {0};
  PairWorld world;
  world.fails_from = 5;  // the first visit of a control
  const PairOutcome outcome = run_pairs_of(world, plan, 0, 1, /*control_share=*/1);
  EXPECT_EQ(outcome.carried.controls_left_out, std::set<std::size_t>{0});
  EXPECT_TRUE(outcome.carried.left_out.empty());
}

TEST(Pairs, GoOnWhereAnEarlierCallEnded) {
  const auto cases = make_cases(2, 12);
  PairWorld world;
  const PairOutcome outcome = run_pairs_of(world, {{cases, 1, {}, "U"}}, 4, 6);
  EXPECT_EQ(outcome.rows[0].front().round, 4);
  EXPECT_EQ(outcome.rows[0].back().round, 5);
  EXPECT_EQ(outcome.result.visits, 16u);
}

TEST(Pairs, OnAGpuShareTheMemoryOfTheOneThatStartedFirst) {
  const auto cases = one_gpu_case();
  PairWorld world;
  const PairOutcome outcome = run_pairs_of(world, {{cases, 1, {}, "U", {}, "cuda"}}, 0, 8);
  ASSERT_EQ(world.arenas.size(), 16u);
  std::set<std::string> owners;
  for (std::size_t i = 0; i < world.arenas.size(); i += 2) {
    const std::string owner = world.arenas[i].substr(0, 1);
    owners.insert(owner);
    if (i % 4 == 2) {
      EXPECT_NE(owner, world.arenas[i - 2].substr(0, 1)) << "one of each in two pairs";
    }
    EXPECT_EQ(world.arenas[i], owner + " share");
    EXPECT_EQ(world.arenas[i + 1], (owner == "a" ? "b" : "a") + std::string(" handle-of-") + owner);
  }
  EXPECT_EQ(owners.size(), 2u);
  EXPECT_EQ(outcome.result.apart, 0u);
}

TEST(Pairs, FallBackToMemoryOfTheirOwnAndSaySo) {
  const auto cases = one_gpu_case();
  PairWorld world;
  world.refuses_handles = true;
  const PairOutcome outcome = run_pairs_of(world, {{cases, 1, {}, "U", {}, "cuda"}}, 0, 2);
  EXPECT_EQ(outcome.result.apart, 2u);
  EXPECT_EQ(outcome.result.visits, 8u);
  EXPECT_EQ(std::ranges::count_if(outcome.notes,
                                  [](const std::string& note) {
                                    return note.find("effects of placement do not cancel") !=
                                           std::string::npos;
                                  }),
            2);
}

TEST(Pairs, LeaveOutACaseThatFailsOnOneSideAndGoOnWithTheOthers) {
  const auto cases = make_cases(3, 2);
  PairWorld world;
  world.b.failing[cases[1].id] = Status::crashed;
  world.b.deadly.insert(cases[1].id);
  const PairOutcome outcome = run_pairs_of(world, {{cases, 1, {}, "U"}}, 0, 2);
  EXPECT_EQ(outcome.carried.left_out, std::set<std::size_t>{1});
  EXPECT_EQ(outcome.sides_of.at(cases[0].id + "#1").size(), 4u);
  EXPECT_EQ(outcome.sides_of.at(cases[2].id + "#1").size(), 4u);
  EXPECT_FALSE(outcome.sides_of.contains(cases[1].id + "#1"));
  const bool is_told = std::ranges::any_of(outcome.rows[1], [&](const ResultRow& row) {
    return row.case_id == cases[1].id && row.status == Status::crashed;
  });
  EXPECT_TRUE(is_told);
}

TEST(Pairs, EndWithAnErrorWhereABuildDoesNotStartOrStandsElsewhere) {
  const auto cases = make_cases(1, 1);
  PairWorld world;
  world.b.failed_starts = 3;
  EXPECT_THROW(run_pairs_of(world, {{cases, 1, {}, "U"}}, 0, 1), Error);
  PairWorld elsewhere;
  elsewhere.b.uuid = "V";
  EXPECT_THROW(run_pairs_of(elsewhere, {{cases, 1, {}, "U"}}, 0, 1), Error);
}

TEST(Pairs, EndWhereASidesWorkerIsReplaced) {
  const auto cases = make_cases(2, 3);
  PairPlan plan{{cases, 1, {}, "U"}};
  plan.worker_hashes = {"aaaa", "bbbb"};
  PairWorld world;
  world.a.hash = world.a.later_hash = "aaaa";
  world.b.hash = world.b.later_hash = "bbbb";
  EXPECT_EQ(run_pairs_of(world, plan, 0, 3).result.visits, 24u);
  PairWorld rebuilt;
  rebuilt.a.hash = rebuilt.a.later_hash = "aaaa";
  rebuilt.b.hash = "bbbb";
  rebuilt.b.later_hash = "cccc";
  EXPECT_THROW(run_pairs_of(rebuilt, plan, 0, 3), WorkerReplaced);
  EXPECT_EQ(rebuilt.visits, 8) << "the first pair was measured";
}

TEST(Pairs, EndWhereTheUserStopsThem) {
  const auto cases = make_cases(4, 2);
  PairWorld world;
  world.a.interrupted_at = cases[2].id;
  EXPECT_TRUE(run_pairs_of(world, {{cases, 1, {}, "U"}}, 0, 2).result.interrupted);
}

}  // namespace
}  // namespace plumbline
