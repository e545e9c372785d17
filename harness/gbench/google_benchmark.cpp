#include "gbench/google_benchmark.h"

#include <benchmark/benchmark.h>
#include <fcntl.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <sstream>
#include <utility>

#include "core/error.h"
#include "store/file.h"

namespace plumbline {
namespace {

constexpr std::string_view kOutput = "--benchmark_out=";
constexpr std::string_view kContext = "--benchmark_context=";

[[noreturn]] void refuse_format() {
  throw Error("a flag of Google Benchmark has a value that it does not take; see --help");
}

/// Google Benchmark exits with 0 for a wrong value, unless its help function throws.
void initialize(std::vector<std::string> flags) {
  static char program[] = "plumbline-gbench";  // it keeps the pointer
  std::vector<char*> words{program};
  for (std::string& flag : flags) words.push_back(flag.data());
  int count = static_cast<int>(words.size());
  benchmark::Initialize(&count, words.data(), refuse_format);
  if (count > 1)
    throw Error("flag '" + std::string(words[1]) +
                "' is not known to Google Benchmark, or has a value that it does not take; see "
                "--help");
}

/// Records which benchmarks run; reports nothing.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  explicit SilentReporter(std::ostream& listed) { SetOutputStream(&listed); }
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

using Body = std::function<void(benchmark::State&)>;

void add(const CaseBenchmark& b, const Body& body) {
  benchmark::RegisterBenchmark(b.name.c_str(), body)
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(static_cast<int>(b.rounds));
}

void hand_over(const Repetition& visit, benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(visit.seconds);
  if (!std::isnan(visit.flops))
    state.counters["FLOP/s"] = benchmark::Counter(visit.flops, benchmark::Counter::kIsRate);
  if (!std::isnan(visit.bytes)) state.SetBytesProcessed(static_cast<std::int64_t>(visit.bytes));
  if (!visit.label.empty()) state.SetLabel(visit.label);
}

std::string from_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

/// Google Benchmark does not report a full disk.
void check_is_whole(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return;
  const std::string text = read_text(path);
  if (!text.ends_with(text.starts_with('{') ? "}\n" : "\n"))
    throw Error(path + " is not whole: the disk may be full");
}

/// Flags that Google Benchmark would accept but that would not do what they say.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kRefused{{
    {"--benchmark_repetitions=", "repetitions are rounds: use --rounds"},
    {"--benchmark_min_time=", "how long a case is measured is set by --precision and --budget-s"},
    {"--benchmark_min_warmup_time=", "use --warmup-s"},
    {"--benchmark_format=csv",
     "its csv needs the same counters for all cases; use json or console"},
    {"--benchmark_out_format=csv",
     "its csv needs the same counters for all cases; use json or console"},
}};

void check_is_honoured(const std::string& flag) {
  for (const auto& [refused, instead] : kRefused)
    if (flag.starts_with(refused)) throw Error(flag + ": " + std::string(instead));
}

}  // namespace

bool is_google_flag(std::string_view word) {
  return word.starts_with("--benchmark_") || word.starts_with("--v=");
}

void print_google_help() {
  std::cout << "Flags of Google Benchmark:\n" << std::flush;
  benchmark::PrintDefaultHelp();
}

GoogleBenchmark::GoogleBenchmark(const std::vector<std::string>& flags)
    : output_(from_environment("BENCHMARK_OUT")) {
  // This only asks what the filter selects, before anything is measured, so it must write no file.
  std::vector<std::string> first, later;
  for (const std::string& flag : flags) {
    check_is_honoured(flag);
    if (flag.starts_with(kOutput)) output_ = flag.substr(kOutput.size());
    if (!flag.starts_with(kOutput)) (flag.starts_with(kContext) ? later : first).push_back(flag);
  }
  first.push_back(std::string(kOutput));
  initialize(first);
  initialize(later);
  if (!output_.empty() && OpenFile(::open(output_.c_str(), O_WRONLY | O_CREAT, 0666)).get() < 0)
    fail_with_errno(output_, "be opened for --benchmark_out");
}

std::optional<std::vector<bool>> GoogleBenchmark::select(
    std::span<const CaseBenchmark> benchmarks) {
  std::vector<bool> selected(benchmarks.size(), false);
  bool was_run = false;
  for (std::size_t i = 0; i < benchmarks.size(); ++i)
    add(benchmarks[i], [&selected, &was_run, i](benchmark::State& state) {
      selected[i] = was_run = true;
      for ([[maybe_unused]] auto _ : state) state.SetIterationTime(1);
    });
  std::ostringstream listed;
  SilentReporter reporter(listed);
  const std::size_t count = benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  if (count == 0)
    throw Error("--benchmark_filter=" + benchmark::GetBenchmarkFilter() +
                " selects no benchmark; --benchmark_list_tests prints their names");
  if (was_run) return selected;
  std::cout << listed.str() << std::flush;
  return std::nullopt;
}

void GoogleBenchmark::report(std::span<const CaseBenchmark> benchmarks,
                             const Environment& context) {
  for (const EnvironmentField& field : environment_fields())
    if (const std::string text = field.text(context); !text.empty())
      benchmark::AddCustomContext("plumbline_" + std::string(field.name), text);
  benchmark::AddCustomContext("plumbline_measurement_revision",
                              std::to_string(kMeasurementRevision));
  std::vector<std::size_t> visits(benchmarks.size(), 0);  // already reported
  for (std::size_t i = 0; i < benchmarks.size(); ++i)
    add(benchmarks[i], [&b = benchmarks[i], &told = visits[i]](benchmark::State& state) {
      if (!b.error.empty()) return state.SkipWithError(b.error.c_str());
      hand_over(b.visits[told++ % b.visits.size()], state);
    });
  if (!output_.empty()) initialize({std::string(kOutput) + output_});
  const std::size_t count = benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
  if (count == 0)
    throw Error("--benchmark_filter=" + benchmark::GetBenchmarkFilter() +
                " selects none of the metrics that the cases have; without it all are shown");
  std::cout.flush();
  if (!std::cout) throw Error("standard output cannot be written: it may be full");
  if (!output_.empty()) check_is_whole(output_);
}

}  // namespace plumbline
