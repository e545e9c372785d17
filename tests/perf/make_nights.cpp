/// make_nights FOLDER NIGHTS CASES: a folder of runs as nights of one large suite leave it, and a
/// night after them in FOLDER-candidate. For timing `history` and `compare --history`.
///
/// Histories read summaries. results.csv is the same file in all but the first and the last, so
/// that the data fits on a disk.
#include <cstdio>
#include <filesystem>
#include <string>

#include "core/error.h"
#include "core/moment.h"
#include "store/run/run_json.h"
#include "store/run/run_writer.h"
#include "store/run/summary.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Every twentieth case takes 3 % longer from a certain night on, which differs by case.
double step(std::size_t i, std::size_t night, std::size_t nights) {
  return i % 20 == 7 && night >= 10 + i % (nights + 1) ? 1.03 : 1.0;
}

Run night_of(std::size_t night, std::size_t nights, std::size_t cases) {
  Run run =
      synthetic_run({.cases = cases, .rounds = 3, .blocks = 2, .samples = 1, .seed = night + 1});
  for (ResultRow& row : run.rows) {
    SampleSet samples;
    for (std::size_t b = 0; b < row.samples.blocks(); ++b) {
      const double value = row.samples.block(b)[0] * step(std::size_t(row.order), night, nights);
      samples.add_block({&value, 1});
    }
    row.samples = samples;
    if (row.round == 0) run.info.suites[0].cases.push_back(row.case_id);
  }
  run.info.started_at = utc_text({1'700'000'000 + std::int64_t(night) * 86'400});
  run.info.environment.commit = std::string(36, 'c') + std::to_string(1000 + night);
  run.info.environment.host = "node-1";
  return run;
}

void make_nights(const std::string& folder, std::size_t nights, std::size_t cases) {
  const std::string first = folder + "/night-1000";
  write_run(night_of(0, nights, cases), first);
  for (std::size_t night = 1; night < nights; ++night) {
    Run run = night_of(night, nights, cases);
    run.path = folder + "/night-" + std::to_string(1000 + night);
    fs::create_directories(run.path);
    fs::create_hard_link(first + "/results.csv", run.path + "/results.csv");
    RunFile file = read_run_json(first + "/run.json");
    file.info = run.info;
    write_file(run.path + "/run.json", run_json_text(file));
    write_summary(run, file.results->hash);
  }
  write_run(night_of(nights, nights, cases), folder + "-candidate");
}

}  // namespace
}  // namespace plumbline

int main(int count, char** values) {
  if (count != 4) {
    std::fprintf(stderr, "make_nights FOLDER NIGHTS CASES\n");
    return 2;
  }
  try {
    plumbline::make_nights(values[1], std::stoul(values[2]), std::stoul(values[3]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
