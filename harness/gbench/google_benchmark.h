/// Google Benchmark's registry, flags and reporters, without its timing: it gets measured results.
///
/// Its state belongs to the whole process, so there is only one object of this class.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run/environment.h"
#include "gbench/benchmarks.h"

namespace plumbline {

/// Whether a word of the command line is a flag of Google Benchmark.
bool is_google_flag(std::string_view word);

/// Prints Google Benchmark's help for its flags on standard output.
void print_google_help();

class GoogleBenchmark {
 public:
  /// Takes Google Benchmark's flags. Throws Error for unknown flags and for a results file that
  /// cannot be written.
  explicit GoogleBenchmark(const std::vector<std::string>& flags);

  /// For each benchmark, whether it would run; nullopt if only a list of names was requested, which
  /// is printed. Throws Error if there is none.
  std::optional<std::vector<bool>> select(std::span<const CaseBenchmark> benchmarks);

  /// Reports the benchmarks, with the environment as context. Throws Error if the filter selects no
  /// benchmark or if the output is incomplete.
  void report(std::span<const CaseBenchmark> benchmarks, const Environment& context);

 private:
  std::string output_;  // --benchmark_out
};

}  // namespace plumbline
