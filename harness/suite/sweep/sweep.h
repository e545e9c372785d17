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

/// One value of an axis: a value for each parameter that the axis sets.
struct SweepRow {
  YamlPlace at;
  std::vector<Value> values;
};

struct SweepAxis {
  std::string name;
  YamlPlace at;
  std::vector<std::string> params;  // parameters that it sets: itself, or those of its rows
  std::vector<SweepRow> rows;       // at least one
};

/// `shapes:` by name; each is a list of maps.
using Shapes = std::map<std::string, YamlPtr, std::less<>>;

/// Axis values from the command line; they replace those of the sweep.
struct AxisOverride {
  std::string axis;
  YamlPtr values;
  bool is_used = false;
};

/// The axes in the order of the file, then those added by overrides. `node` may be null (no sweep).
/// Throws Error unless every parameter without a default is set by exactly one axis and no
/// parameter by two. Marks used overrides. `at`: the benchmark's place.
std::vector<SweepAxis> read_sweep(const YamlNode* node, const YamlPlace& at, const OpParams& params,
                                  const Shapes& shapes, std::vector<AxisOverride>& overrides);

/// More cases than this are refused, in a suite or on one axis.
inline constexpr std::size_t kMostCases = 100'000;

}  // namespace plumbline
