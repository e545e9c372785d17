/// A suite: a YAML file of benchmarks, expanded to its cases.
///
/// suite/ is the only code that knows YAML. It needs neither device nor LibTorch: conditions on the
/// device are stored until the device is known.
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

/// A condition on the device. Once the device is known, it decides which cases are excluded or
/// cannot run there.
struct DeviceRule {
  Condition condition;
  bool excludes_if = true;  // false: excludes cases that do not meet the condition (`where:`)
  std::string reason;
  std::vector<std::size_t> cases;  // indices into Suite::cases that it can exclude
  bool is_limit = false;           // a backend's limit: cases are UNSUPPORTED, not EXCLUDED
};

/// A failure that is expected of cases; a `condition` on the device limits it to some of them.
struct Expectation {
  Condition condition;
  Status status = Status::wrong;
  std::string reason;
  std::string at;                  // FILE:LINE
  std::vector<std::size_t> cases;  // indices into Suite::cases that it can apply to
};

struct Suite {
  std::string name, description;
  std::string path, hash;  // hash: stable_hash_text of the text
  /// In the order of the file: benchmarks, axes as written with the last one fastest, then
  /// backends. Excluded cases are included, with their reason.
  std::vector<Case> cases;
  std::vector<DeviceRule> device_rules;
  std::vector<Expectation> expectations;
  std::vector<std::pair<std::string, std::string>> renames;  // old case id, new case id
  std::vector<RecordedStep> steps;       // of the program that the suite was recorded from
  std::set<std::string> axes;            // of all benchmarks, and `backend`
  std::vector<FileRef> sources;          // absolute paths: files of code and of inputs, each once
  std::vector<FileRef> shape_files;      // absolute paths: what `shapes: {from: …}` names
  std::vector<std::string> unused_axes;  // axes of SuiteOptions::set that no benchmark has
};

struct SuiteOptions {
  /// Replaces the values of an axis, which may be `backend`: axis name, and values as a
  /// comma-separated list or a YAML list or range.
  std::vector<std::pair<std::string, std::string>> set;
  Policy policy_defaults;
  /// From the command line, overriding the suite: policy field, text.
  std::vector<std::pair<std::string, std::string>> policy_overrides;
  OperatorSchemas schemas;  // of the dispatcher; empty: unknown, not checked
};

/// Expands a suite; its files are relative to the folder of `file.path`. Throws Error
/// `path:line:column: what was found; what is allowed` for the first mistake. Unknown axes in
/// options.set are no error here: see check_axes_used.
Suite expand_suite(const YamlFile& file, const Catalogue& catalogue, const SuiteOptions& options);

/// Reads and expands the file. Throws as above, and for a file that is not text.
Suite load_suite(const std::string& path, const Catalogue& catalogue, const SuiteOptions& options);

/// Throws Error for the first axis in options.set that no suite has; the message names the nearest
/// axis.
void check_axes_used(std::span<const Suite> suites, const SuiteOptions& options);

/// Applies the conditions on the device: excludes cases, or gives the reason why they cannot run
/// there. `device` has device.kind (cpu, cuda), device.memory (bytes), device.model and
/// device.units. Call it before cases are removed from the suite. Throws Error if a condition needs
/// a property that `device` lacks.
void apply_device_conditions(Suite& suite, const Params& device);

/// The expected failures of the suite's cases on that device, without excluded cases. Call it after
/// apply_device_conditions; same errors.
std::vector<ExpectedFailure> expected_failures(const Suite& suite, const Params& device);

}  // namespace plumbline
