/// A JSON file of a run or a comparison, and a run's record with all possible fields.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "store/run/run_json.h"
#include "store/verdict/comparison_json.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {

/// Every field has a different value; some are hostile texts.
inline RunInfo full_info() {
  RunInfo info = synthetic_run({.cases = 0}).info;
  info.command = {"plumbline", "run", "a \"b\".yaml", "</script>", std::string("nul\0", 4),
                  "שלום\n"};
  info.suites = {{"a", "p/a.yaml", "1", {}}, {"b", "p/b.yaml", "2", {}}};
  info.shard = "1/4";
  info.balanced_by = "0b0b";
  info.selected_cases = 17;
  info.planned_visits = 34;
  info.suites[0].cases = {"op/libtorch/n=1"};
  info.suites[0].positions = {2};
  info.shards = {{"1/4",
                  "s1",
                  "2026-01-01T00:00:00Z",
                  "2026-01-01T00:30:00Z",
                  "0c0c",
                  {"GPU-1", "GPU-2"},
                  {{"host", "n1"}},
                  {{"copy_bytes_per_s", 4e12}}}};
  info.policy.cache = {"hot"};
  info.policy.rounds = 7;
  info.policy.precision = 0.1;
  info.policy.budget_s = 1.0 / 3;
  info.policy.seed = std::int64_t(1) << 53;
  info.acceptance = Acceptance{"Ada", "why not", "2026", "00ff", "it has to do"};
  info.calibration = {{"copy_bytes_per_s", 4.1e12}, {"event_floor_s", kUnknown}};
  info.workers = {{"timing:7",
                   2,
                   "2026-01-01T00:10:00Z",
                   {{"event_floor_s", 3.3e-6}},
                   {{"spin_s", 1e-4}, {"copy_s", 2e-4}},
                   {{"spin_s", 1.01e-4}},
                   0,
                   {{"context", 0.8}}},
                  {}};
  info.expected = {{"a", "op/libtorch/n=1", Status::out_of_memory, "too \"big\"", "p/a.yaml:7"},
                   {"a", "op/libtorch/n=2", Status::wrong, "", ""}};
  int i = 0;
  for (const EnvironmentField& field : environment_fields())
    for (const std::string& text : {std::string(field.name) + " <" + std::to_string(i) + ">",
                                    std::to_string(++i), std::string(field.words.yes)})
      if (field.read(text, info.environment).empty()) break;
  return info;
}

inline void expect_equal(const RunInfo& a, const RunInfo& b) {
  EXPECT_EQ(run_json_text({a, {}}), run_json_text({b, {}}));
  EXPECT_EQ(a.command, b.command);
  EXPECT_EQ(a.environment, b.environment);
  EXPECT_EQ(a.policy.cache, b.policy.cache);
  EXPECT_EQ(a.policy.budget_s, b.policy.budget_s);
  EXPECT_EQ(a.policy.seed, b.policy.seed);
  EXPECT_EQ(a.finished_at, b.finished_at);
  ASSERT_EQ(a.acceptance.has_value(), b.acceptance.has_value());
  if (a.acceptance) {
    EXPECT_EQ(a.acceptance->source_hash, b.acceptance->source_hash);
    EXPECT_EQ(a.acceptance->even_so, b.acceptance->even_so);
  }
}

struct JsonFile {
  TemporaryFolder folder;
  std::string path = folder / "f.json";

  RunFile reread(const std::string& text) {
    write_file(path, text);
    return read_run_json(path);
  }
  template <class Reader>
  std::string error(const std::string& text, Reader read) {
    write_file(path, text);
    try {
      read(path);
    } catch (const Error& error) {
      return std::string(error.what()).replace(0, path.size(), "F");
    }
    return "no error";
  }
  std::string run_error(const std::string& text) { return error(text, read_run_json); }
  std::string comparison_error(const std::string& text) { return error(text, read_comparison); }
};

}  // namespace plumbline
