/// LibTorch's numerical switches for the whole process, beyond what a case declares.
#pragma once

#include <string>

namespace plumbline {

/// The text in the environment record. Rarely used switches are omitted at their default.
std::string numerics_text();

}  // namespace plumbline
