/// The result of a screen that nothing confirms: one accepted run and one candidate cannot tell a
/// change of the code from a bad night of either run.
#pragma once

#include "analysis/compare/comparison.h"

namespace plumbline {

/// Turns SLOWER and FASTER into LOOKS_SLOWER and LOOKS_FASTER, unless pairs or a later run showed
/// the change, or a history supports it. A history supports it if it has three earlier runs of the
/// case or more and the noise model explains the comparison's scatter (null_check.h). Adds a note
/// on what to do.
void hold_screen(Comparison& comparison);

/// Gives a reason to every SLOWER, FASTER, LOOKS_SLOWER and LOOKS_FASTER without one: what supports
/// the change, or what is missing. For a new comparison after hold_screen().
void say_why(Comparison& comparison);

}  // namespace plumbline
