/// The axes of a benchmark: `sweep:` with its lists, ranges and rows of named shapes.
///
/// Knows parameters, not backends, conditions or cases.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "suite/declared/op_params.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// One value of an axis: what it gives to each parameter of the axis.
struct SweepRow {
  YamlPlace at;
  std::vector<Value> values;
};

struct SweepAxis {
  std::string name;
  YamlPlace at;
  std::vector<std::string> params;  // that it sets: itself, or those of its rows
  std::vector<SweepRow> rows;       // at least one
};

/// `shapes:` by name; every one is a list of maps.
using Shapes = std::map<std::string, YamlPtr, std::less<>>;

/// Values from the command line by axis: they replace what the sweep says.
struct AxisOverride {
  std::string axis;
  YamlPtr values;
  bool is_used = false;
};

/// Reads `shapes:`. Rows are checked where they are used, since only an op knows its parameters.
Shapes read_shapes(const YamlNode& node);

/// The axes in the order of the file, then those added by overrides. `node` may be null (no sweep).
/// Every parameter without default is set by an axis, none by two. Marks the overrides that it
/// used. `at` is the benchmark's place.
std::vector<SweepAxis> read_sweep(const YamlNode* node, const YamlPlace& at, const OpParams& params,
                                  const Shapes& shapes, std::vector<AxisOverride>& overrides);

/// Cases beyond this many are a mistake, in a suite as on one axis.
inline constexpr std::size_t kMostCases = 1'000'000;

}  // namespace plumbline
