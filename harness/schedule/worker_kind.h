/// The kind of process that a visit needs; one worker serves all cases of its kind.
#pragma once

#include <compare>

#include "core/op/allocator_choice.h"
#include "core/op/stream_setup.h"
#include "core/run/metric.h"

namespace plumbline {

struct WorkerKind {
  Profile profile = Profile::timing;
  int connections = kDefaultConnections;  // CUDA_DEVICE_MAX_CONNECTIONS, read when CUDA starts
  bool in_python = false;                 // for Python functions
  TensorAllocator allocator = TensorAllocator::arena;
  auto operator<=>(const WorkerKind&) const = default;
};

}  // namespace plumbline
