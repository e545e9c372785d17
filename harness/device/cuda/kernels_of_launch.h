/// From the activities of traced launches to times and a description of what a launch runs.
///
/// Pure: knows what CUPTI recorded, not how.
#pragma once

#include <string>
#include <vector>

#include "device/cuda/cupti_tracer.h"

namespace plumbline::cuda {

/// Appends, per launch in seconds, the sum of the durations of its activities and their span from
/// first start to last end; samples are `batch` launches each. `kernels` gets the description of
/// the first launch's activities unless it has one. Returns why that cannot be done, or "": records
/// are missing, or launches ran nothing.
std::string add_launches(const CuptiTracer::Recording& recording, std::size_t expected, int batch,
                         std::vector<double>& sums_s, std::vector<double>& spans_s,
                         std::string& kernels);

/// JSON: [{"name", "grid", "block", "registers", "shared_static", "shared_dynamic", "occupancy",
/// "calls", "time_s"}, …], in the order of their first start, equal ones counted; copies and fills
/// have "bytes" instead of the launch configuration. What ran in a CUDA graph is told node by node,
/// "graph_node" counting them from 1. Occupancy is theoretical: resident warps over
/// the most that a multiprocessor holds.
std::string describe_activities(const Activities& launch, int batch);

}  // namespace plumbline::cuda
