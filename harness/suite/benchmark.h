/// One entry of `benchmarks:`, read and checked, but not yet expanded to cases.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "suite/inputs/input_files.h"
#include "suite/suite.h"
#include "suite/sweep/sweep.h"

namespace plumbline {

/// `exclude:` and `where:` of a benchmark.
struct Exclusion {
  Condition condition;
  bool excludes_if = true;  // false: excludes cases that do not meet the condition
  std::string reason;
  YamlPlace at;  // of the condition
};

/// An entry of `expect:`.
struct ExpectationEntry {
  Condition condition;
  Status status = Status::wrong;
  std::string reason;
  YamlPlace at;  // of the entry
};

struct Benchmark {
  YamlPtr node;
  OpParams params;
  const CatalogueEntry* entry = nullptr;  // null: the suite declares the op
  std::string name, revision;
  std::vector<std::string> backends;
  std::vector<SweepAxis> axes;
  std::vector<Exclusion> exclusions;
  std::vector<ExpectationEntry> expectations;
  std::vector<std::string> tags;
  std::optional<double> threshold;
  CallsByPhase calls;
  std::string batch;  // the parameter that `batch_invariant` names; "": none
  std::shared_ptr<const Policy> policy;
  std::shared_ptr<const Declaration> declaration;
  std::shared_ptr<InputFiles> files;         // arguments' values; null for ops of the catalogue
  const OperatorSchemas* schemas = nullptr;  // those of the options that it was read with
};

/// What is needed to read a benchmark; `overrides` record whether they were used.
struct BenchmarkContext {
  const Catalogue& catalogue;
  const SuiteOptions& options;
  const Shapes& shapes;
  const Policy& policy;     // defaults and the suite's `measure:`
  const YamlNode* measure;  // the suite's `measure:`, or null
  const std::vector<RecordedStep>& steps;
  std::vector<AxisOverride>& overrides;
};

Benchmark read_benchmark(const YamlPtr& node, const BenchmarkContext& context);

/// Appends the benchmark's cases to the suite.
void expand(const Benchmark& benchmark, Suite& suite);

}  // namespace plumbline
