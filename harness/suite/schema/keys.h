/// The keys of a suite file and their meaning. The reader refuses other keys; the JSON Schema lists
/// these.
#pragma once

#include <array>

#include "suite/yaml/reader.h"

namespace plumbline {

inline constexpr std::array kSuiteKeys = std::to_array<YamlKey>({
    {"suite", "name of the suite: letters, digits, '-', '_', '.'"},
    {"description", "what it measures and why, for the report"},
    {"measure", "how to measure, for all benchmarks; the command line overrides"},
    {"shapes",
     "named lists of rows; an axis takes one by $name; `from`: files whose named lists join these, "
     "paths from this file's folder"},
    {"steps", "steps of the program that the suite was recorded from, by name (plumbline capture)"},
    {"benchmarks", "what is measured: each crosses its axes on each of its backends"},
    {"renames", "old case id: new case id, so that history goes on"},
});

/// The key in `shapes:` that names files.
inline constexpr std::string_view kShapesFrom = "from";

/// Who declares what is computed; this decides which keys a benchmark takes.
enum class OpKind : unsigned {
  catalogue = 1,
  dispatcher = 2,
  kernel = 4,
  plugin = 8,
  graph = 16,
  python = 32,
  module = 64
};

inline constexpr auto kOfKernels = unsigned(OpKind::kernel), kOfPlugins = unsigned(OpKind::plugin),
                      kOfGraphs = unsigned(OpKind::graph), kOfPython = unsigned(OpKind::python),
                      kOfModules = unsigned(OpKind::module);
inline constexpr auto kWithArguments =
    unsigned(OpKind::dispatcher) | kOfKernels | kOfPlugins | kOfPython | kOfModules;
inline constexpr auto kDeclared = kWithArguments | kOfGraphs;

constexpr bool is_of(const YamlKey& key, OpKind kind) { return key.owners & unsigned(kind); }

inline constexpr std::array kBenchmarkKeys = std::to_array<YamlKey>({
    {"op",
     "an op of the catalogue, an operator of the dispatcher (aten::…), kernel, plugin, python, "
     "module or cudnn.graph"},
    {"name", "stands for the op in case ids (not for ops of the catalogue)", kDeclared},
    {"backend",
     "who computes it: one or a list; default: libtorch; worker: code of a worker of your own"},
    {"sweep", "axes: name: values; all combinations are cases"},
    {"where", "condition that a case must fulfil, else it is excluded"},
    {"exclude", "cases not to run, each with a reason"},
    {"expect", "cases that are known to fail, how, and why: they run, and raise no alarm"},
    {"tags", "tiers and topics, for --tag"},
    {"threshold", "change that counts as a regression, for these cases"},
    {"measure", "how to measure, for this benchmark"},
    {"calls", "phase of a step: calls in it, for each of these cases"},
    {"args",
     "argument: expression; of kernels and plug-ins in their order, with outputs; of a function in "
     "Python and of a network by its names",
     kWithArguments},
    {"reference", "expected result, an expression over the arguments (not for the catalogue's)",
     kWithArguments},
    {"reference_function",
     "expected result: a function of 'source' that takes the arguments in float64 (op: python)",
     kOfPython},
    {"cost", "flops and bytes of one launch (not for ops of the catalogue)", kDeclared},
    {"batch_invariant",
     "parameter that counts the batch: a part of it, computed alone, must have the same bits as in "
     "the whole",
     ~kOfGraphs},
    {"tolerance", "relative L2 error allowed (not for ops of the catalogue)", kDeclared},
    {"source",
     "file beside the suite: CUDA source, .ptx or .cubin (op: kernel), .py (op: python and "
     "module), "
     "TorchScript .pt or AOTInductor's .pt2 (op: module)",
     kOfKernels | kOfPython | kOfModules},
    {"entry", "name of the kernel in its source (op: kernel)", kOfKernels},
    {"template", "template arguments, expressions; a dtype stands for its C++ type (op: kernel)",
     kOfKernels},
    {"defines", "macro: expression (op: kernel)", kOfKernels},
    {"options", "further options for NVRTC, as they are (op: kernel)", kOfKernels},
    {"launch", "grid, block and dynamic shared memory of a launch (op: kernel)", kOfKernels},
    {"metadata", "JSON that came with a .ptx or .cubin; its members are metadata.… (op: kernel)",
     kOfKernels},
    {"library", "file beside the suite: a plug-in, see plumbline_plugin.h (op: plugin)",
     kOfPlugins},
    {"function",
     "the op of the plug-in (op: plugin), the function of the source (op: python), the function of "
     "the source that makes a torch.nn.Module (op: module)",
     kOfPlugins | kOfPython | kOfModules},
    {"reference_source",
     "TorchScript file beside the suite that computes the same as 'source', for the expected "
     "result "
     "(op: module with a .pt or .pt2)",
     kOfModules},
    {"with", "argument of the function that makes the network: expression (op: module)",
     kOfModules},
    {"loss",
     "the function of the source that a training step minimizes; default: loss (op: module)",
     kOfModules},
    {"accuracy",
     "the function of the source that gives a task to train on: each case then has the metric "
     "accuracy (op: module)",
     kOfModules},
    {"serve",
     "requests that inference serves one after another, for the metrics latency_… and throughput "
     "(op: module)",
     kOfModules},
    {"params", "parameter of the plug-in's op: expression (op: plugin)", kOfPlugins},
    {"graph", "a graph in cudnn-frontend's JSON: file beside the suite, or here (op: cudnn.graph)",
     kOfGraphs},
});

inline constexpr std::array kStepKeys = std::to_array<YamlKey>({
    {"phases", "names that 'calls' counts by: forward, backward, decode"},
    {"time", "seconds that the program took for one step"},
    {"busy", "seconds of these in which its GPU worked"},
});

inline constexpr std::array kLaunchKeys = std::to_array<YamlKey>({
    {"grid", "blocks: one to three expressions, x first"},
    {"block", "threads of a block: one to three expressions, x first"},
    {"shared", "dynamic shared memory of a block in bytes, an expression; default: none"},
    {"cluster", "blocks of a cluster: one to three expressions, x first; default: no clusters"},
    {"cooperative",
     "all blocks run at the same time, so that they can wait for one another: an "
     "expression, 0 or 1; default: 0"},
    {"dependent",
     "a launch may begin before the one ahead of it on the stream ends (programmatic "
     "dependent launch): an expression, 0 or 1; default: 0"},
});

inline constexpr std::array kServeKeys = std::to_array<YamlKey>({
    {"requests",
     "how many requests each visit serves, an expression: at least 100, 1000 for the "
     "99.9th percentile"},
    {"rate",
     "requests that come in a second, at random times, an expression; default: each comes "
     "when the one before is done"},
    {"items", "what one request serves, such as samples or tokens, an expression; default: 1"},
});

/// An argument that is not a plain input. Instead of one of these keys, a type of
/// core/op/declaration.h can be given with a number: {int32: rows}.
inline constexpr std::array kArgumentKeys = std::to_array<YamlKey>({
    {"output", "shape of a tensor that is written: a result"},
    {"inout", "tensor that is read and written: a result too"},
    {"scratch", "shape of a tensor that is written and is no result"},
    {"scalar", "number of a kernel whose type is that of 'dtype': an expression"},
    {"dtype", "of these: a dtype, or the parameter that holds it; default: dtype"},
});

inline constexpr std::array kExcludeKeys = std::to_array<YamlKey>({
    {"where", "map of conditions that hold together, or one expression"},
    {"reason", "why, in words; shown in lists and reports"},
});

inline constexpr std::array kExpectKeys = std::to_array<YamlKey>({
    {"where", "map of conditions that hold together, or one expression"},
    {"status", "how these cases end; another failure is one as always"},
    {"reason", "why, in words; shown where it comes true"},
});

/// Statuses that can be expected.
inline constexpr std::array<std::string_view, 5> kExpectable{"WRONG", "CRASHED", "TIMEOUT",
                                                             "OUT_OF_MEMORY", "UNSUPPORTED"};

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
    {"step", "distance between values; default: 1"},
    {"pow2", "[a, b]: powers of two from 2^a to 2^b"},
    {"linspace", "[a, b, n]: n values from a to b, equally spaced"},
    {"values", "the values themselves"},
});

/// Names of device properties in conditions, besides the case's own parameters.
inline constexpr std::array kDeviceKeys = std::to_array<YamlKey>({
    {"device.kind", "cpu or cuda"},
    {"device.memory", "bytes, units allowed: \">= 40 GiB\""},
    {"device.model", "as the driver names it; * matches anything"},
    {"device.units", "multiprocessors or logical CPUs"},
});

}  // namespace plumbline
