#include "workflow/corpus/corpus.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "core/error.h"
#include "store/bundle/archive.h"
#include "store/run/run_reader.h"
#include "support/kept_talk.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"
#include "workflow/corpus/planted.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Nights {
  TemporaryFolder folder;
  KeptTalk talk;
  std::vector<std::string> paths;

  explicit Nights(std::size_t count) {
    for (std::size_t i = 1; i <= count; ++i) add(i);
  }

  /// The night of that day; `change` comes before it is written.
  void add(std::size_t day, const std::function<void(Run&)>& change = {}) {
    Run run = synthetic_run({.cases = 4, .metrics = 2, .rounds = 2, .seed = day});
    run.info.environment.host = "build-7";
    run.info.started_at = "2026-01-0" + std::to_string(day) + "T00:00:00Z";
    run.info.finished_at = "2026-01-0" + std::to_string(day) + "T01:00:00Z";
    if (change) change(run);
    paths.push_back(folder / ("run-" + std::to_string(paths.size())));
    write_run(run, paths.back());
  }

  CorpusOutcome write(std::size_t planted = 0, const std::string& name = "corpus") {
    return write_corpus({paths, folder / name, planted, 1}, talk);
  }

  std::string refusal(std::size_t planted = 0) {
    try {
      write(planted);
    } catch (const Error& error) {
      EXPECT_FALSE(fs::exists(folder / "corpus"));
      return error.what();
    }
    return "no refusal";
  }
};

TEST(Corpus, NightsComeBackInTheOrderOfTheirStartsWithTheirSamplesToThePicosecond) {
  Nights nights(2);
  std::swap(nights.paths[0], nights.paths[1]);
  const CorpusOutcome outcome = nights.write();
  EXPECT_EQ(outcome.nights, (std::map<std::string, std::size_t>{{"NVIDIA H200", 2}}));
  EXPECT_EQ(outcome.cases, 4U);
  EXPECT_EQ(outcome.samples, 2 * 4 * 2 * 2 * 30U);
  const auto unpacked = unpack_corpus(nights.folder / "corpus", nights.folder / "runs");
  ASSERT_EQ(unpacked.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(unpacked[i], nights.folder / ("runs/night-0" + std::to_string(i + 1)));
    const plumbline::Run recorded = read_run(nights.paths[1 - i]), read = read_run(unpacked[i]);
    EXPECT_TRUE(read.warnings.empty());
    EXPECT_EQ(read.info.started_at, recorded.info.started_at);
    ASSERT_EQ(read.rows.size(), recorded.rows.size());
    for (std::size_t row = 0; row < read.rows.size(); ++row) {
      const SampleSet &was = recorded.rows[row].samples, &is = read.rows[row].samples;
      ASSERT_EQ(is.blocks(), was.blocks());
      ASSERT_EQ(is.values().size(), was.values().size());
      for (std::size_t k = 0; k < is.values().size(); ++k) {
        EXPECT_NEAR(is.values()[k], was.values()[k], 0.501e-12);
        EXPECT_EQ(is.values()[k], std::round(is.values()[k] * 1e12) / 1e12);
      }
    }
  }
}

TEST(Corpus, NamesOfMachinesAreHiddenAndCardsAreStillToldApart) {
  Nights nights(2);
  nights.add(3, [](plumbline::Run& run) { run.info.environment.device_uuids = {"GPU-2"}; });
  nights.write();
  const auto unpacked = unpack_corpus(nights.folder / "corpus", nights.folder / "runs");
  std::vector<std::string> cards;
  for (const std::string& night : unpacked) {
    EXPECT_FALSE(holds(file_text(night + "/run.json"), "build-7"));
    EXPECT_FALSE(holds(file_text(night + "/run.json"), nights.folder.path()));
    cards.push_back(read_run(night).info.environment.device_uuid());
  }
  EXPECT_EQ(cards[0], cards[1]);
  EXPECT_NE(cards[0], cards[2]);
}

TEST(Corpus, TheSameRunsAndSeedGiveTheSameBytes) {
  Nights nights(5);
  nights.write(10, "one");
  nights.write(10, "two");
  for (const char* file : {"nights.tar.zst", "planted.csv"})
    EXPECT_EQ(file_text(nights.folder / (std::string("one/") + file)),
              file_text(nights.folder / (std::string("two/") + file)));
}

TEST(Corpus, RefusalsNameTheRunAndSayWhatToDo) {
  EXPECT_TRUE(holds(Nights(1).refusal(), "found 1 run; a corpus needs at least two"));
  const auto with = [](const std::function<void(plumbline::Run&)>& change) {
    Nights nights(1);
    nights.add(2, change);
    const std::string said = nights.refusal();
    EXPECT_TRUE(said.starts_with(nights.paths[1] + ": ")) << said;
    return said;
  };
  const std::string suite = with([](plumbline::Run& run) { run.info.suites[0].hash = "other"; });
  EXPECT_TRUE(holds(suite, "its suite differs from that of")) << suite;
  EXPECT_TRUE(
      holds(with([](plumbline::Run& run) { run.info.policy.rounds = 7; }), "with the same flags"));
  EXPECT_TRUE(holds(with([](plumbline::Run& run) { run.info.measurement_revision = 3; }),
                    "measure again with one version of Plumbline"));
  EXPECT_TRUE(
      holds(with([](plumbline::Run& run) { run.info.finished_at.clear(); }), "is not finished"));
  EXPECT_TRUE(holds(with([](plumbline::Run& run) { run.rows.clear(); }), "has no samples"));
  Nights twice(2);
  twice.paths.push_back(twice.paths[0]);
  EXPECT_TRUE(holds(twice.refusal(), "has the same results as"));
}

TEST(Corpus, ANightOfAnotherWorkerIsTold) {
  Nights nights(1);
  nights.add(2, [](plumbline::Run& run) { run.info.environment.worker_hash = "other"; });
  nights.write();
  ASSERT_EQ(nights.talk.told.size(), 1U);
  EXPECT_TRUE(holds(nights.talk.told[0], nights.paths[1] + " has another worker than"));
}

TEST(Corpus, AFolderThatIsNoneIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(unpack_corpus(folder.path(), folder / "runs"), Error);
  write_archive(folder / "nights.tar.zst", {{"night-01/run.sh", "true"}});
  EXPECT_THROW(unpack_corpus(folder.path(), folder / "runs"), Error);
  EXPECT_FALSE(fs::exists(folder / "runs/night-01/run.sh"));
}

const PlantableNight kShort{"H100", {"a", "b"}};
const PlantableNight kLong{"H200", {"a", "b", "c"}};
const PlantableNight kPart{"H200", {"a", "b"}};

TEST(PlantedSlowdowns, StayWithinNightsThatHaveAHistoryAndCasesThatAllOfThemMeasured) {
  const std::vector nights{kShort, kLong, kLong, kPart, kShort, kLong, kLong, kShort};
  const auto planted = planted_slowdowns(nights, 200, 1);
  std::map<std::size_t, int> by_night;
  std::map<std::string, int> by_case;
  for (const PlantedSlowdown& one : planted) {
    ++by_night[one.night];
    ++by_case[one.case_id];
  }
  ASSERT_EQ(by_night.size(), 2U);  // the fourth and the fifth of H200; of H100 there are three
  EXPECT_NEAR(by_night[6], 100, 40);
  EXPECT_NEAR(by_night[7], 100, 40);
  ASSERT_EQ(by_case.size(), 2U);
  EXPECT_NEAR(by_case["a"], 100, 40);
}

TEST(PlantedSlowdowns, TakeTurnsInSizeAndFollowTheSeed) {
  const std::vector<PlantableNight> nights(5, kLong);
  const auto planted = planted_slowdowns(nights, 7, 3);
  ASSERT_EQ(planted.size(), 7U);
  EXPECT_EQ(planted[0].factor, 1.01);
  EXPECT_EQ(planted[4].factor, 1.10);
  EXPECT_EQ(planted[5].factor, 1.01);
  EXPECT_EQ(planted[6].trial, 7U);
  EXPECT_EQ(planted, planted_slowdowns(nights, 7, 3));
  EXPECT_NE(planted, planted_slowdowns(nights, 7, 4));
}

TEST(PlantedSlowdowns, ATooShortHistoryIsRefused) {
  const std::vector<PlantableNight> nights(3, kLong);
  EXPECT_THROW(planted_slowdowns(nights, 1, 1), Error);
  EXPECT_TRUE(planted_slowdowns(nights, 0, 1).empty());
}

TEST(PlantedSlowdowns, AreARowEach) {
  const std::vector<PlantedSlowdown> planted{{1, 4, "op/a/shape=\"x\"", 1.02}};
  EXPECT_EQ(planted_csv(planted), "trial,night,case,factor\n1,4,\"op/a/shape=\"\"x\"\"\",1.02\n");
}

}  // namespace
}  // namespace plumbline
