/// What LibTorch computes with beyond what a case declares: switches of the whole process.
#pragma once

#include <string>

namespace plumbline {

/// As the environment record has it; switches that are seldom touched are left out at their
/// default.
std::string numerics_text();

}  // namespace plumbline
