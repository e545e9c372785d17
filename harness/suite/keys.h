/// The keys of a suite file, with what they mean: the reader refuses others, the JSON Schema shows
/// these.
#pragma once

#include <array>

#include "suite/reader.h"

namespace plumbline {

inline constexpr std::array kSuiteKeys = std::to_array<YamlKey>({
    {"suite", "name of the suite: letters, digits, '-', '_', '.'"},
    {"description", "what it measures and why, for the report"},
    {"measure", "how to measure, for all benchmarks; the command line overrides"},
    {"shapes", "named lists of rows; an axis takes one by $name"},
    {"benchmarks", "what is measured: each crosses its axes on each of its backends"},
    {"renames", "old case id: new case id, so that history goes on"},
});

inline constexpr std::array kBenchmarkKeys = std::to_array<YamlKey>({
    {"op", "an op of the catalogue, or an operator of the dispatcher: aten::…"},
    {"name", "stands for the op in case ids (operators of the dispatcher only)"},
    {"backend", "who computes it: one or a list; libtorch unless said"},
    {"sweep", "axes: name: values; all combinations are cases"},
    {"where", "condition that a case must fulfil, else it is excluded"},
    {"exclude", "cases not to run, each with a reason"},
    {"tags", "tiers and topics, for --tag"},
    {"threshold", "change that counts as a regression, for these cases"},
    {"measure", "how to measure, for this benchmark"},
    {"args", "schema argument: expression (operators of the dispatcher only)"},
    {"reference", "expected result, an expression over the arguments (dispatcher only)"},
    {"cost", "flops and bytes of one launch (operators of the dispatcher only)"},
    {"tolerance", "relative L2 error allowed (operators of the dispatcher only)"},
});

inline constexpr std::array kExcludeKeys = std::to_array<YamlKey>({
    {"where", "map of conditions that hold together, or one expression"},
    {"reason", "why, in words; shown in lists and reports"},
});

inline constexpr std::array kThresholdKeys = std::to_array<YamlKey>({
    {"slowdown", "smallest slowdown called a regression: 2% or 0.02"},
});

inline constexpr std::array kCostKeys = std::to_array<YamlKey>({
    {"flops", "floating-point operations of one launch, an expression over the parameters"},
    {"bytes", "bytes that one launch must read and write, an expression over the parameters"},
});

inline constexpr std::array kRangeKeys = std::to_array<YamlKey>({
    {"from", "first value"},
    {"to", "last value, reached if the steps lead there"},
    {"step", "distance between values; 1 unless said"},
    {"pow2", "[a, b]: powers of two from 2^a to 2^b"},
    {"linspace", "[a, b, n]: n values from a to b, equally spaced"},
    {"values", "the values themselves"},
});

/// What conditions may ask of a device, beside the case's own parameters.
inline constexpr std::array kDeviceKeys = std::to_array<YamlKey>({
    {"device.kind", "cpu or cuda"},
    {"device.memory", "bytes, units allowed: \">= 40 GiB\""},
    {"device.model", "as the driver names it; * matches anything"},
    {"device.units", "multiprocessors or logical CPUs"},
});

}  // namespace plumbline
