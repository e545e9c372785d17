/// What kind of process a case's visit needs: workers of one kind serve all cases of that kind.
#pragma once

#include <compare>

#include "core/op/stream_setup.h"
#include "core/run/metric.h"

namespace plumbline {

struct WorkerKind {
  Profile profile = Profile::timing;
  int connections = kDefaultConnections;  // CUDA_DEVICE_MAX_CONNECTIONS, read when CUDA starts
  bool in_python = false;                 // for functions in Python
  auto operator<=>(const WorkerKind&) const = default;
};

}  // namespace plumbline
