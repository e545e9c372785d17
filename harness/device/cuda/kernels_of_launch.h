/// Turns the activities of traced launches into times and a description of what a launch runs.
///
/// Pure: knows CUPTI's records, not how they are made.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/cuda/code/code_index.h"
#include "device/cuda/cupti/cupti_tracer.h"

namespace plumbline::cuda {

/// The hash of a kernel's machine code; "" = unknown.
using CodeOf = std::function<std::string(const LaunchedKernel&)>;

/// Appends for each launch, in seconds, the sum of its activities' durations and their span from
/// first start to last end. A sample is `batch` launches. `kernels` gets the description of the
/// first launch's activities, unless it is set. Returns "", or why it cannot: records are missing,
/// or launches ran nothing.
std::string add_launches(const CuptiTracer::Recording& recording, std::size_t expected, int batch,
                         std::vector<double>& sums_s, std::vector<double>& spans_s,
                         std::string& kernels, const CodeOf& code_of = nullptr);

/// JSON: [{"name", "grid", "block", "registers", "local", "shared_static", "shared_dynamic",
/// "occupancy", "code", "calls", "time_s"}, …], in the order of their first start, equal ones
/// counted. "code" is left out if it is unknown. Copies and fills have "bytes" instead of the
/// launch configuration. Activities in a CUDA graph are listed node by node, with "graph_node"
/// counted from 1. Occupancy is theoretical: resident warps / the most that a multiprocessor holds.
std::string describe_activities(const Activities& launch, int batch,
                                const CodeOf& code_of = nullptr);

}  // namespace plumbline::cuda
