/// How an op of a library changed as a whole, in words: the same on the page and in the terminal.
///
/// Contains no markup: whoever shows these texts escapes them.
#pragma once

#include <string>
#include <vector>

#include "analysis/causes/family_changes.h"

namespace plumbline {

/// `+0.8 % ± 0.2 %`; without the interval if it is unknown; an en dash without a case that has
/// times.
std::string family_change_text(const FamilyChange& family);

/// `−1.2 to +3.4 %`: of its cases; "" if they are fewer than two.
std::string family_range_text(const FamilyChange& family);

/// `12 %`: the op's share of the time of the steps, and `+80 µs`: what it adds to them. "" without
/// a step.
std::string family_share_text(const FamilyChange& family, double steps_s);
std::string family_added_text(const FamilyChange& family);

/// Time of all steps of captured programs, in seconds; 0 without one.
double steps_s(const std::vector<FamilyChange>& families);

/// `2 SLOWER, 1 FASTER, 10 SAME, 3 not resolved or not judged`.
std::string family_verdicts_text(const FamilyChange& family);

}  // namespace plumbline
