/// The reductions that collectives share, as NCCL names them.
#pragma once

#include <nccl.h>

#include "backends/problem.h"

namespace plumbline {

inline ncclRedOp_t nccl_reduction(const Problem& p) {
  const std::string& reduction = p.text("reduction");
  if (reduction == "max") return ncclMax;
  if (reduction == "min") return ncclMin;
  return reduction == "sum" ? ncclSum : ncclAvg;
}

}  // namespace plumbline
