/// NCCL's version.
#pragma once

#include <string>

namespace plumbline::nccl {

/// "2.28.9".
std::string version();

}  // namespace plumbline::nccl
