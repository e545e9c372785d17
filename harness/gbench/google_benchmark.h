/// Google Benchmark's registry, flags and reporters, and nothing else of it: what it is to report
/// is given to it, measured.
///
/// Its state is of the whole process, so there is one object of this class.
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

/// Its help for them, on standard output.
void print_google_help();

class GoogleBenchmark {
 public:
  /// Takes its flags. Throws Error for those that it does not know, and for a file of results that
  /// cannot be written.
  explicit GoogleBenchmark(const std::vector<std::string>& flags);

  /// For each benchmark whether it would be run; nothing where names were asked for and are printed
  /// instead. Throws Error where that is none of them.
  std::optional<std::vector<bool>> select(std::span<const CaseBenchmark> benchmarks);

  /// Reports the benchmarks, with the environment as context. Throws Error where the filter selects
  /// none of them, or what was written is not whole.
  void report(std::span<const CaseBenchmark> benchmarks, const Environment& context);

 private:
  std::string output_;  // --benchmark_out
};

}  // namespace plumbline
