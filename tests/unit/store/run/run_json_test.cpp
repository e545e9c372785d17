#include "store/run/run_json.h"

#include "store/json/json_fields.h"
#include "support/places.h"
#include "unit/store/json_file.h"

namespace plumbline {
namespace {

TEST(RunJson, EveryFieldIsReadBack) {
  JsonFile file;
  const RunFile back = file.reread(run_json_text({full_info(), ResultsSeal{123, "abc"}}));
  expect_equal(back.info, full_info());
  ASSERT_TRUE(back.results.has_value());
  EXPECT_EQ(back.results->bytes, 123u);
  EXPECT_EQ(back.results->hash, "abc");
  EXPECT_EQ(back.info.calibration.at("copy_bytes_per_s"), 4.1e12);
  ASSERT_EQ(back.info.workers.size(), 2u);
  const WorkerRecord &worker = back.info.workers[0], wanted = full_info().workers[0];
  EXPECT_EQ(worker.name, "timing:7");
  EXPECT_EQ(worker.round, 2);
  EXPECT_EQ(worker.started_at, "2026-01-01T00:10:00Z");
  EXPECT_EQ(worker.calibration, wanted.calibration);
  EXPECT_EQ(worker.sentinel_before, wanted.sentinel_before);
  EXPECT_EQ(worker.sentinel_after, wanted.sentinel_after);
  EXPECT_EQ(worker.start_s, wanted.start_s);
}

TEST(RunJson, TimesAreReadInAnyFormOfIso8601AndGivenInUtc) {
  JsonFile file;
  const RunInfo info = file.reread(R"({"format": 1, "measurement_revision": 3,
                      "started_at": "2026-11-22T03:00:00.5+01:00", "finished_at": "20261122T0205Z",
                      "workers": [{"started_at": "2026-11-22T02:01:00-00:30"}]})")
                           .info;
  EXPECT_EQ(info.started_at, "2026-11-22T02:00:00.5Z");
  EXPECT_EQ(info.finished_at, "2026-11-22T02:05:00Z");
  EXPECT_EQ(info.workers.at(0).started_at, "2026-11-22T02:31:00Z");
}

TEST(RunJson, WhatIsNoTimeIsRefusedWithFileAndField) {
  JsonFile file;
  const auto error_of = [&](const std::string& members) {
    return file.run_error(R"({"format": 1, "measurement_revision": 3, )" + members + "}");
  };
  const std::string expected =
      ", expected a time in ISO 8601, such as 2026-11-22T02:00:00Z, 2026-11-22T03:00:00.5+01:00 or "
      "2026-11-22";
  EXPECT_EQ(error_of(R"("started_at": "last night")"),
            "F: at /started_at: found 'last night'" + expected);
  EXPECT_EQ(error_of(R"("finished_at": "2026-11-31T02:00:00Z")"),
            "F: at /finished_at: found '2026-11-31T02:00:00Z'" + expected);
  EXPECT_EQ(error_of(R"("workers": [{}, {"started_at": "soon"}])"),
            "F: at /workers/1/started_at: found 'soon'" + expected);
  EXPECT_EQ(error_of(R"("started_at": 1795312800)"),
            "F: at /started_at: found 1795312800, expected a string");
  EXPECT_EQ(error_of(R"("started_at": "", "finished_at": null)"), "no error");
}

TEST(RunJson, ASuiteWithoutANameIsRefused) {
  JsonFile file;
  EXPECT_EQ(
      file.run_error(
          R"({"format": 1, "measurement_revision": 3, "suites": [{"name": "a"}, {"name": ""}]})"),
      "F: at /suites/1: found an object, expected a suite with a name");
}

TEST(RunJson, KeepsWhatIsExpectedToFailAndRefusesAStatusThatThereIsNot) {
  JsonFile file;
  const RunInfo back = file.reread(run_json_text({full_info(), {}})).info;
  ASSERT_EQ(back.expected.size(), 2u);
  EXPECT_EQ(back.expected[0].case_id, "op/libtorch/n=1");
  EXPECT_EQ(back.expected[0].status, Status::out_of_memory);
  EXPECT_EQ(back.expected[0].reason, "too \"big\"");
  EXPECT_EQ(back.expected[0].at, "p/a.yaml:7");
  EXPECT_EQ(run_json_text({RunInfo{}, {}}).find("expected"), std::string::npos);
  write_file(file.path,
             R"({"format": 1, "measurement_revision": 3, "expected": [{"status": "ODD"}]})");
  try {
    read_run_json(file.path);
    FAIL() << "an unknown status was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/expected/0/status: found 'ODD'"), std::string::npos)
        << error.what();
  }
}

TEST(RunJson, HasAKeyForEveryFieldOfTheTables) {
  const std::string text = run_json_text({RunInfo{}, {}});
  for (const EnvironmentField& field : environment_fields())
    EXPECT_NE(text.find("\"" + std::string(field.name) + "\": \"\""), std::string::npos);
  for (const PolicyField& field : policy_fields())
    EXPECT_NE(text.find("\"" + std::string(field.name) + "\": "), std::string::npos);
}

TEST(RunJson, TheEnvironmentOfAnAcceptedBaselineIsWrittenAsItWasRead) {
  const std::string path = source_dir() / "baselines/nvidia-h200/quick.json";
  const ParsedJson before = read_json(path);
  const RunInfo info = read_run_json(path).info;
  EXPECT_EQ(info.environment.device_units, 132);
  EXPECT_EQ(info.environment.power_limit_w, 700.0);
  EXPECT_EQ(info.environment.ecc, true);
  EXPECT_EQ(info.environment.mig, false);
  EXPECT_EQ(info.environment.dirty, false);
  const ParsedJson now = ParsedJson::parse(run_json_text({info, {}}));
  for (const auto& [key, value] : before["runs"].back()["environment"].items())
    EXPECT_EQ(now["environment"][key], value) << key;
}

TEST(RunJson, AnEntryOfTheEnvironmentThatItCannotBeIsNamed) {
  JsonFile file;
  const auto error_of = [&](const std::string& entry) {
    return file.run_error(R"({"format": 1, "measurement_revision": 3, "environment": {)" + entry +
                          "}}");
  };
  EXPECT_EQ(error_of(R"("power_limit_w": "700 W")"),
            "F: at /environment/power_limit_w: found '700 W', expected a number");
  EXPECT_EQ(error_of(R"("device_units": "13.5")"),
            "F: at /environment/device_units: found '13.5', expected an integer");
  EXPECT_EQ(error_of(R"("ecc": "perhaps")"),
            "F: at /environment/ecc: found 'perhaps', expected on or off");
  EXPECT_EQ(error_of(R"("dirty": "perhaps")"),
            "F: at /environment/dirty: found 'perhaps', expected yes or no");
  EXPECT_EQ(error_of(R"("dirty": "", "mig": "Disabled", "threads": "")"), "no error");
}

TEST(RunJson, UnknownKeysArePassedOverAndMissingOnesKeepTheirDefaults) {
  JsonFile file;
  const RunFile back = file.reread(
      R"({"format": 1, "measurement_revision": 3, "later": [1],
          "environment": {"host": "h", "x": 1}})");
  EXPECT_EQ(back.info.measurement_revision, 3);
  EXPECT_EQ(back.info.environment.host, "h");
  EXPECT_EQ(back.info.environment.driver, "");
  EXPECT_EQ(back.info.policy.rounds, 3);
  EXPECT_FALSE(back.info.acceptance || back.results);
  EXPECT_TRUE(back.info.calibration.empty() && back.info.workers.empty());
}

TEST(RunJson, WrongTypesAreNamedByPath) {
  JsonFile file;
  const auto with = [](const std::string& rest) {
    return R"({"format": 1, "measurement_revision": 1, )" + rest + "}";
  };
  EXPECT_EQ(file.run_error(with(R"("environment": [])")),
            "F: at /environment: found an array, expected an object");
  EXPECT_EQ(file.run_error(with(R"("command": ["a", 2])")),
            "F: at /command/1: found 2, expected a string");
  EXPECT_EQ(file.run_error(with(R"("policy": {"rounds": 2.5})")),
            "F: at /policy/rounds: found 2.5, expected an integer");
  EXPECT_EQ(file.run_error(with(R"("policy": {"seed": 18446744073709551615})")),
            "F: at /policy/seed: found 18446744073709551615, expected an integer below 2^63");
  EXPECT_EQ(file.run_error(with(R"("suites": {"a": 1})")),
            "F: at /suites: found an object, expected an array");
  EXPECT_EQ(file.run_error(with(R"("calibration": {"copy_bytes_per_s": "fast"})")),
            "F: at /calibration/copy_bytes_per_s: found 'fast', expected a number");
  EXPECT_EQ(file.run_error(with(R"("workers": [{"sentinel_after": []}])")),
            "F: at /workers/0/sentinel_after: found an array, expected an object");
  EXPECT_EQ(file.run_error(with(R"("results": {"bytes": -1})")),
            "F: at /results/bytes: found -1, expected an integer that is in range");
}

TEST(RunJson, OtherJsonIsRefused) {
  JsonFile file;
  for (const char* text : {"[]", "1", "{}", R"({"format": "1", "measurement_revision": 1})",
                           R"({"format": null, "measurement_revision": 1})"})
    EXPECT_NE(file.run_error(text).find("expected the JSON of a run written by Plumbline"),
              std::string::npos)
        << text;
  EXPECT_NE(file.run_error(R"({"format": 0, "measurement_revision": 1})").find("found format 0"),
            std::string::npos);
}

TEST(RunJson, TextThatIsNotUtf8IsWrittenAllTheSame) {
  JsonFile file;
  RunInfo info;
  info.environment.branch = "bad \xff byte";
  EXPECT_EQ(file.reread(run_json_text({info, {}})).info.environment.branch,
            "bad \xEF\xBF\xBD byte");
}

}  // namespace
}  // namespace plumbline
