/// NCCL's communicators of a case's ranks, all in this process.
///
/// Knows no op.
#pragma once

#include <nccl.h>

#include <compare>
#include <string>
#include <vector>

namespace plumbline::nccl {

/// "auto": NCCL chooses. Others are names of NCCL_ALGO and NCCL_PROTO.
struct Choice {
  int ranks = 2;
  std::string algorithm = "auto", protocol = "auto";
  auto operator<=>(const Choice&) const = default;
};

/// One for each rank, in order; rank r is on device_of_rank(r). They are kept until another choice
/// is asked for. Throws Unsupported if NCCL does not have the choice, DeviceError for other
/// failures.
const std::vector<ncclComm_t>& communicators(const Choice& choice);

/// Throws Unsupported if NCCL says that a call or choice is not possible, DeviceError for other
/// failures. `call` names what failed.
void check(ncclResult_t code, const std::string& call);

}  // namespace plumbline::nccl
