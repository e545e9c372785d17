/// The harness's own cost as a Google Benchmark program: first whole commands, while this process
/// is small, then their parts. limits.py compares it with the limits.
#include <benchmark/benchmark.h>

#include <fstream>
#include <memory>
#include <stdexcept>

#include "analysis/compare/compare.h"
#include "ops/catalogue.h"
#include "perf/process_cost.h"
#include "perf/shards_material.h"
#include "perf/site_material.h"
#include "reports/report.h"
#include "schedule/scheduler.h"
#include "schedule/worker_process.h"
#include "stats/multiplicity.h"
#include "stats/random_draws.h"
#include "store/run/run_reader.h"
#include "store/run/run_writer.h"
#include "store/verdict/comparison_json.h"
#include "suite/suite.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

constexpr SyntheticShape kLargeRun{.cases = 33'334, .rounds = 3};   // 10^5 rows of 30 samples
constexpr SyntheticShape kReportRun{.cases = 10'000, .rounds = 3};  // 10^4 cases
constexpr SyntheticShape kNightRun{.cases = 100'000, .rounds = 3, .blocks = 8, .samples = 1};
constexpr std::size_t kNights = 30;
constexpr std::size_t kVisits = 1'000;

SyntheticShape again(SyntheticShape shape) {
  shape.seed = 2;
  return shape;
}

/// A run like a GPU's: it was calibrated, so the parts of its cases are known.
Run calibrated_run(const SyntheticShape& shape) {
  Run run = synthetic_run(shape);
  run.info.calibration = {{"copy_bytes_per_s", 4.1e12}, {"matmul_float16_flops_per_s", 6.8e14}};
  return run;
}

/// A history of `nights` nights with the first cases of a run.
History history_of(const Run& run, std::size_t cases, std::size_t nights) {
  History history;
  for (std::size_t night = 0; night < nights; ++night)
    history.runs.push_back({.path = std::to_string(night),
                            .started_at = "",
                            .commit = "",
                            .device_class = run.info.environment.device_class,
                            .device_uuid = run.info.environment.device_uuid(),
                            .measurement_revision = run.info.measurement_revision});
  SyntheticNoise noise(3);
  for (std::size_t i = 0; i < cases; ++i) {
    const ResultRow& row = run.rows[i];  // from the first round
    Series series{row.suite,
                  row.case_id,
                  row.metric,
                  row.unit,
                  row.revision,
                  run.info.environment.device_class,
                  run.info.measurement_revision};
    for (std::size_t night = 0; night < nights; ++night)
      series.add({.run = std::uint32_t(night),
                  .estimate = true_value(i, 0) * (1 + 0.002 * noise.normal())},
                 {});
    history.series.push_back(std::move(series));
  }
  return history;
}

/// 10^5 cases from crossed axes.
std::string crossed_suite() {
  return "suite: crossed\nbenchmarks:\n"
         "  - op: softmax\n"
         "    sweep: {rows: {from: 1, to: 250, step: 1}, cols: {from: 1, to: 200, step: 1}, dtype: "
         "[float32, float16]}\n";
}

/// 10^5 cases, each on its own line.
std::string explicit_suite() {
  std::string text = "suite: explicit\nshapes:\n  traced:\n";
  for (int i = 1; i <= 100'000; ++i)
    text += "    - {rows: " + std::to_string(i) + ", cols: 4096}\n";
  return text + "benchmarks:\n  - op: softmax\n    sweep: {shape: [$traced], dtype: [float32]}\n";
}

/// The data that benchmarks read, made once and outside of this process.
class Material {
 public:
  Material() {
    write_file(crossed(), crossed_suite());
    write_file(explicit_rows(), explicit_suite());
    apart([this] {
      write_run(calibrated_run(kLargeRun), large(1));
      write_run(calibrated_run(again(kLargeRun)), large(2));
    });
    apart([this] {
      write_run(synthetic_run(kReportRun), folder_ / "base");
      write_run(synthetic_run(again(kReportRun)), folder_ / "candidate");
      const Run base = read_run(folder_ / "base"), candidate = read_run(folder_ / "candidate");
      write_comparison(compare(base, candidate, default_rule("cuda")), comparison());
    });
  }
  std::string crossed() const { return folder_ / "crossed.yaml"; }
  std::string explicit_rows() const { return folder_ / "explicit.yaml"; }
  std::string large(int i) const { return folder_ / ("large-" + std::to_string(i)); }
  std::string comparison() const { return folder_ / "comparison.json"; }
  std::string page() const { return folder_ / "report.html"; }
  std::string scratch(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

/// Runs a whole command; `expected`: exit codes that mean that it did its work.
bool run_command(benchmark::State& state, const std::vector<std::string>& words,
                 std::initializer_list<int> expected) {
  std::vector<std::string> argv{PLUMBLINE_PROGRAM};
  argv.insert(argv.end(), words.begin(), words.end());
  ProcessCost cost;
  for ([[maybe_unused]] auto _ : state) {
    cost = cost_of(argv);
    state.SetIterationTime(cost.wall_s);
  }
  state.counters["program_cpu_s"] = cost.cpu_s;
  state.counters["peak_memory_bytes"] = cost.peak_memory_bytes;
  state.counters["others_share"] = cost.others_share;
  for (const int code : expected)
    if (cost.exit_code == code) return true;
  state.SkipWithError(("exit code " + std::to_string(cost.exit_code)).c_str());
  return false;
}

benchmark::internal::Benchmark* add(const char* name,
                                    const std::function<void(benchmark::State&)>& body) {
  return benchmark::RegisterBenchmark(name, body)->Unit(benchmark::kMillisecond)->Repetitions(3);
}

void add_commands(const Material& material) {
  const auto command = [](const char* name, const std::function<void(benchmark::State&)>& body) {
    add(name, body)->UseManualTime()->Iterations(1);
  };
  command("command/list_crossed", [&](auto& state) {
    run_command(state, {"list", material.crossed()}, {0});
  });
  command("command/list_explicit", [&](auto& state) {
    run_command(state, {"list", material.explicit_rows()}, {0});
  });
  command("command/compare", [&](auto& state) {
    run_command(state, {"compare", material.large(1), material.large(2)}, {0, 1, 3});
  });
  command("command/report", [&](auto& state) {
    if (run_command(state, {"report", material.comparison(), "-o", material.page()}, {0}))
      state.counters["page_bytes"] = double(std::filesystem::file_size(material.page()));
  });
}

/// From scratch, then with one more commit at a time.
void add_site() {
  static std::unique_ptr<SiteMaterial> material;
  static std::size_t added = 0;
  static const auto site = [](benchmark::State& state) {
    run_command(state, {"site", material->site(), "--runs", material->runs()}, {0});
  };
  const auto command = [](const char* name, const std::function<void(benchmark::State&)>& body) {
    add(name, body)->UseManualTime()->Iterations(1);
  };
  command("command/site", [](auto& state) {
    if (!material) material = std::make_unique<SiteMaterial>();
    std::filesystem::remove_all(material->site());
    site(state);
  });
  command("command/site_one_more", [](benchmark::State& state) {
    if (added == SiteMaterial::kMore || !material) {
      material = std::make_unique<SiteMaterial>();
      cost_of({PLUMBLINE_PROGRAM, "site", material->site(), "--runs", material->runs()});
      added = 0;
    }
    material->add_one_more(added++);
    site(state);
  });
}

/// A night of many shards becomes one run.
void add_shards() {
  static std::unique_ptr<ShardsMaterial> material;
  const auto command = [](const char* name, const std::function<void(benchmark::State&)>& body) {
    add(name, body)->UseManualTime()->Iterations(1);
  };
  command("command/status", [](benchmark::State& state) {
    if (!material) material = std::make_unique<ShardsMaterial>();
    run_command(state, {"status", material->shards()}, {0});
  });
  command("command/merge", [](benchmark::State& state) {
    if (!material) material = std::make_unique<ShardsMaterial>();
    std::filesystem::remove_all(material->merged());
    if (!run_command(state, {"merge", material->shards(), "-o", material->merged()}, {0})) return;
    state.counters["shards_bytes"] = material->bytes();
    state.counters["merged_bytes"] =
        double(std::filesystem::file_size(material->merged() + "/results.csv"));
  });
}

/// Folders of nights that make_nights makes, with a night after them to compare.
class NightsMaterial {
 public:
  NightsMaterial(int nights, int cases) {
    const ProcessCost cost =
        cost_of({PLUMBLINE_MAKE_NIGHTS, runs(), std::to_string(nights), std::to_string(cases)});
    if (cost.exit_code != 0) throw std::runtime_error("make_nights failed");
  }
  std::string runs() const { return folder_ / "runs"; }
  std::string first() const { return runs() + "/night-1000"; }
  std::string candidate() const { return runs() + "-candidate"; }
  static std::string one_case() { return synthetic_row({}, 0, 80, 0).case_id; }

 private:
  TemporaryFolder folder_;
};

/// The first command makes the index of 300 nights, and the others use it.
void add_histories() {
  static std::unique_ptr<NightsMaterial> nights;
  static int held = 0;
  static const auto use = [](int count, int cases) {
    if (held == count) return;
    nights.reset();
    nights = std::make_unique<NightsMaterial>(count, cases);
    held = count;
  };
  static const auto history = [](benchmark::State& state) {
    run_command(state, {"history", NightsMaterial::one_case(), "--runs", nights->runs()}, {0});
  };
  const auto command = [](const char* name, const std::function<void(benchmark::State&)>& body) {
    add(name, body)->UseManualTime()->Iterations(1);
  };
  command("command/history_index", [](benchmark::State& state) {
    use(300, 10'000);
    std::filesystem::remove(nights->runs() + "/plumbline-index.sqlite");
    history(state);
  });
  command("command/history", [](benchmark::State& state) {
    use(300, 10'000);
    history(state);
  });
  command("command/compare_history", [](benchmark::State& state) {
    use(300, 10'000);
    run_command(
        state,
        {"compare", nights->first(), nights->candidate(), "--history", "--runs", nights->runs()},
        {0, 1, 3});
  });
  command("command/history_500", [](benchmark::State& state) {
    use(500, 2'000);
    history(state);
  });
}

void add_parts(const Material& material) {
  for (const auto& [name, path] : {std::pair{"part/load_suite_crossed", material.crossed()},
                                   {"part/load_suite_explicit", material.explicit_rows()}})
    add(name, [path = path](benchmark::State& state) {
      for ([[maybe_unused]] auto _ : state)
        benchmark::DoNotOptimize(load_suite(path, make_catalogue(), {}));
    });
  add("part/read_run", [&](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(read_run(material.large(1)));
  });
  add("part/read_two_runs", [&](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state)
      benchmark::DoNotOptimize(read_runs({material.large(1), material.large(2)}));
  })->UseRealTime();
  add("part/compare", [](benchmark::State& state) {
    const Run base = calibrated_run(kLargeRun), candidate = calibrated_run(again(kLargeRun));
    for ([[maybe_unused]] auto _ : state)
      benchmark::DoNotOptimize(compare(base, candidate, default_rule("cuda")));
  });
  add("part/screen_nights", [](benchmark::State& state) {
    const Run base = calibrated_run(kNightRun), candidate = calibrated_run(again(kNightRun));
    const History history = history_of(base, kNightRun.cases, kNights);
    CompareOptions options;
    options.history = &history;
    for ([[maybe_unused]] auto _ : state)
      benchmark::DoNotOptimize(compare(base, candidate, default_rule("cuda"), options));
  })->UseRealTime();
  add("part/render_report", [](benchmark::State& state) {
    const Run base = synthetic_run(kReportRun), candidate = synthetic_run(again(kReportRun));
    const Comparison comparison = compare(base, candidate, default_rule("cuda"));
    for ([[maybe_unused]] auto _ : state)
      benchmark::DoNotOptimize(
          render_report({.candidate = &candidate, .baseline = &base, .comparison = &comparison}));
  });
}

/// Numbers that look random, with `steps` different values.
std::vector<double> scattered(std::size_t count, std::uint64_t steps) {
  std::vector<double> values(count);
  RandomDraws draws(1);
  for (double& value : values) value = double(draws.below(steps)) / double(steps);
  return values;
}

void add_statistics() {
  add("stats/benjamini_hochberg", [](benchmark::State& state) {
    const std::vector<double> p_values = scattered(1'000'000, 1ULL << 40);
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(benjamini_hochberg(p_values));
  });
}

/// A visit of a worker that answers at once: the cost of scheduling, protocol and processes.
void visit_of_worker(benchmark::State& state, const Material& material) {
  SuiteOptions options;
  options.policy_defaults.rounds = 1;
  std::vector<Case> cases = load_suite(material.crossed(), make_catalogue(), options).cases;
  cases.resize(kVisits);
  const WorkerFactory factory = worker_processes(
      {.argv = {PLUMBLINE_FAKE_WORKER}, .log_path = material.scratch("worker.log")}, nullptr);
  std::size_t rows = 0;
  ScheduleEvents events;
  events.on_visit = [&](const Case&, std::span<const ResultRow> visit) { rows += visit.size(); };
  Plan plan;
  plan.cases = cases;
  for ([[maybe_unused]] auto _ : state) run_cases(plan, factory, events, nullptr);
  if (rows % kVisits != 0) state.SkipWithError("not every visit gave a row");
}

/// Adds a visit to results.csv, on disk.
void visit_in_store(benchmark::State& state, const Material& material) {
  Run run = synthetic_run({.cases = kVisits, .rounds = 1});
  run.info.finished_at.clear();
  const std::string path = material.scratch("written");
  for ([[maybe_unused]] auto _ : state) {
    RunWriter writer(path, run.info);
    append_rows(writer, run.rows);
    state.PauseTiming();
    std::filesystem::remove_all(path);
    state.ResumeTiming();
  }
}

void add_visits(const Material& material) {
  const auto per_visit = [](const char* name, const std::function<void(benchmark::State&)>& body) {
    add(name, [body](benchmark::State& state) {
      body(state);
      state.counters["per_visit_s"] =
          benchmark::Counter(double(kVisits), benchmark::Counter::kIsIterationInvariantRate |
                                                  benchmark::Counter::kInvert);
    })->UseRealTime();
  };
  per_visit("visits/scheduled", [&](auto& state) { visit_of_worker(state, material); });
  per_visit("visits/stored", [&](auto& state) { visit_in_store(state, material); });
}

}  // namespace
}  // namespace plumbline

int main(int count, char** values) {
  using namespace plumbline;
  benchmark::Initialize(&count, values);
  if (benchmark::ReportUnrecognizedArguments(count, values)) return 2;
  const Material material;
  add_commands(material);
  add_site();
  add_histories();
  add_shards();
  add_parts(material);
  add_statistics();
  add_visits(material);
  return benchmark::RunSpecifiedBenchmarks() == 0 ? 2 : 0;
}
