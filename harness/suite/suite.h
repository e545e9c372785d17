/// A suite: a YAML file of benchmarks, expanded to its cases.
///
/// suite/ is the only code that knows YAML. It needs neither device nor LibTorch: what a condition
/// asks of the device is kept aside until there is one.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/op/op_spec.h"
#include "core/run/case.h"
#include "core/run/policy.h"
#include "core/run/run.h"
#include "suite/declared/operator_schemas.h"
#include "suite/sweep/condition.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// A condition on the device: the cases that it excludes, or that cannot run there, are known once
/// the device is.
struct DeviceRule {
  Condition condition;
  bool excludes_if = true;  // false: excludes where the condition does not hold (`where:`)
  std::string reason;
  std::vector<std::size_t> cases;  // indices into Suite::cases that it may exclude
  bool is_limit = false;           // of a backend: they are UNSUPPORTED, not EXCLUDED
};

/// A failure that is expected of cases; where `condition` asks for it, the device decides of which.
struct Expectation {
  Condition condition;
  Status status = Status::wrong;
  std::string reason;
  std::string at;                  // FILE:LINE
  std::vector<std::size_t> cases;  // indices into Suite::cases that it may be about
};

struct Suite {
  std::string name, description;
  std::string path, hash;  // hash: stable_hash_text of the text
  /// In the order of the file: benchmarks, axes as written, the last one fastest, then backends.
  /// Excluded ones are among them, with their reason.
  std::vector<Case> cases;
  std::vector<DeviceRule> device_rules;
  std::vector<Expectation> expectations;
  std::vector<std::pair<std::string, std::string>> renames;  // old case id, new case id
  std::vector<RecordedStep> steps;       // of the program that it was recorded from
  std::set<std::string> axes;            // of all benchmarks, and `backend`
  std::vector<FileRef> sources;          // absolute: code that benchmarks name, each once
  std::vector<std::string> unused_axes;  // of SuiteOptions::set that no benchmark has
};

struct SuiteOptions {
  /// Replaces the values of an axis (`backend` is one): axis, comma list or a YAML list or range.
  std::vector<std::pair<std::string, std::string>> set;
  Policy policy_defaults;
  /// From the command line, stronger than the suite: policy field, text.
  std::vector<std::pair<std::string, std::string>> policy_overrides;
  OperatorSchemas schemas;  // that the dispatcher knows; empty: unknown, not checked
};

/// Expands a suite; files that it names are looked for beside `file.path`. Throws Error
/// `path:line:column: what was found; what is allowed` for the first mistake. An axis to be set
/// that it does not have is none yet: see check_axes_used.
Suite expand_suite(const YamlFile& file, const Catalogue& catalogue, const SuiteOptions& options);

/// Reads the file, and expands it. Throws as above, and for what is no text file.
Suite load_suite(const std::string& path, const Catalogue& catalogue, const SuiteOptions& options);

/// Throws Error for the first axis that was to be set and that none of the suites has, naming the
/// nearest that one of them has.
void check_axes_used(std::span<const Suite> suites, const SuiteOptions& options);

/// Excludes the cases whose conditions on the device say so, and tells why others cannot run there.
/// `device` holds device.kind (cpu,
/// cuda), device.memory (bytes), device.model, device.units. Before cases are taken out of the
/// suite. Throws Error where a condition asks for a fact that is not in `device`.
void apply_device_conditions(Suite& suite, const Params& device);

/// The failures that are expected of the suite's cases on that device, excluded ones left out. As
/// apply_device_conditions, and after it.
std::vector<ExpectedFailure> expected_failures(const Suite& suite, const Params& device);

}  // namespace plumbline
