/// The part of a rank in collectives that compute something besides.
#pragma once

#include "backends/nccl/collective.h"
#include "backends/nccl/communicators.h"

namespace plumbline {

inline void sum_over_ranks(const nccl::RankCall& r, std::int64_t elements) {
  nccl::check(
      ncclAllReduce(r.input, r.output, std::size_t(elements), r.type, ncclSum, r.comm, r.stream),
      "ncclAllReduce");
}

}  // namespace plumbline
