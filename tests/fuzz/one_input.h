/// Gives one input to a target.
#pragma once

#include <string_view>

#include "fuzz/targets.h"

namespace plumbline::fuzz {

/// The target of that name; ends the program with the names of all if there is none.
Target target_named(std::string_view name);

/// True if the target read the input, false if it refused it with a reason, which is printed if the
/// variable PLUMBLINE_FUZZ_SAY is set. Ends the program for anything else.
bool is_read(const Target& target, std::string_view input);

}  // namespace plumbline::fuzz
