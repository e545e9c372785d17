/// Nights of a large suite as `check` leaves them, and more nights to add one by one: the data for
/// timing `plumbline site`.
///
/// The site reads summaries, verdicts and finished pages. results.csv and report.html are the same
/// file everywhere, so that the data fits on a disk.
#pragma once

#include <filesystem>
#include <string>

#include "analysis/compare/compare.h"
#include "core/moment.h"
#include "reports/report.h"
#include "store/run/run_json.h"
#include "store/run/run_writer.h"
#include "store/run/summary.h"
#include "store/verdict/comparison_json.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {

class SiteMaterial {
 public:
  static constexpr std::size_t kRuns = 200, kMore = 3;

  SiteMaterial() {
    for (std::size_t i = 0; i < kRuns + kMore; ++i) add_night(i);
    const Run base = made(0), last = made(kRuns);
    const Comparison comparison = compare(base, last, default_rule("cuda"));
    const std::string page =
        render_report({.candidate = &last, .baseline = &base, .comparison = &comparison});
    write_file(folder_ / "report.html", page);
    for (std::size_t i = 0; i < kRuns + kMore; ++i)
      std::filesystem::create_hard_link(folder_ / "report.html", path(i) + "/report.html");
  }

  std::string runs() const { return folder_ / "runs"; }
  std::string site() const { return folder_ / "site"; }
  /// Adds night kRuns + i.
  void add_one_more(std::size_t i) const {
    std::filesystem::rename(path(kRuns + i), runs() + "/" + name(kRuns + i));
  }

 private:
  /// Every twentieth case takes 3 % longer from a certain night on, which differs by case.
  static constexpr SyntheticShape kShape{.cases = 2'000, .rounds = 3, .blocks = 2, .samples = 1};
  static double step(std::size_t i, std::size_t night) {
    return i % 20 == 7 && night >= 10 + i % 180 ? 1.03 : 1.0;
  }

  static std::string name(std::size_t i) { return "night-" + std::to_string(1000 + i); }
  std::string path(std::size_t i) const {
    return (i < kRuns ? runs() : folder_ / "more") + "/" + name(i);
  }

  static Run made(std::size_t night) {
    SyntheticShape shape = kShape;
    shape.seed = night + 1;
    Run run = synthetic_run(shape);
    for (ResultRow& row : run.rows) {
      SampleSet samples;
      const double factor = step(std::size_t(row.order), night);
      for (std::size_t b = 0; b < row.samples.blocks(); ++b) {
        const double value = row.samples.block(b)[0] * factor;
        samples.add_block({&value, 1});
      }
      row.samples = samples;
    }
    const std::string day = std::to_string(1000 + night);
    run.info.started_at = utc_text({std::int64_t(night) * 86'400});
    run.info.environment.commit = std::string(36, 'c') + day;
    return run;
  }

  void add_night(std::size_t i) {
    Run run = made(i);
    run.path = path(i);
    if (i == 0) {
      base_ = run;
      write_run(run, run.path);
    } else {
      std::filesystem::create_directories(run.path);
      std::filesystem::create_hard_link(path(0) + "/results.csv", run.path + "/results.csv");
      RunFile file = read_run_json(path(0) + "/run.json");
      file.info.started_at = run.info.started_at;
      file.info.environment.commit = run.info.environment.commit;
      write_file(run.path + "/run.json", run_json_text(file));
      write_summary(run, file.results->hash);
    }
    write_comparison(compare(base_, run, default_rule("cuda")), run.path + "/comparison.json");
  }

  TemporaryFolder folder_;
  Run base_;
};

}  // namespace plumbline
