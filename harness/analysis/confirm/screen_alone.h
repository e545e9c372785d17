/// What a screen says where nothing confirms it: one accepted run and one candidate do not tell a
/// change of the code from a bad night of either.
#pragma once

#include "analysis/compare/comparison.h"

namespace plumbline {

/// SLOWER and FASTER become LOOKS_SLOWER and LOOKS_FASTER where neither pairs nor a later run
/// showed the change, and no history carries it: three earlier runs of the case or more, in a
/// comparison whose scatter its noise model explains (null_check.h). Says in a note what to do.
void hold_screen(Comparison& comparison);

/// Gives every SLOWER and FASTER, and what looks so, a reason where it has none: what carries it,
/// or what it lacks. Of a comparison just made, once it is decided (hold_screen).
void say_why(Comparison& comparison);

}  // namespace plumbline
