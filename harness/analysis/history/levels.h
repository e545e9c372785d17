/// The levels of a case over its runs, so that a step is no noise: what a case varies by is learned
/// within levels, and the runs at one level say together where it lies.
///
/// Pure numbers, in the order of time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plumbline {

/// Index at which each level begins; the first is 0. A step is 1 % or more and beyond what the runs
/// around it scatter by (t test at 1e-4, up to eight runs on either side). A level has two runs at
/// least: one alone may be a bad one. `first_alone`: the first may be one. `logs` are logarithms.
std::vector<std::size_t> level_starts(std::span<const double> logs, bool first_alone = false);

/// The level that holds the value at `index`: its begin and end.
struct LevelRange {
  std::size_t begin = 0, end = 0;
};
LevelRange level_of(std::span<const std::size_t> starts, std::size_t index, std::size_t size);

/// A level without single bad runs, which would hide every change of a case as long as they are in
/// its history: a slow night that was looked into, say. Of fewer than eight values, or where more
/// than one in eight strays, none is left out: the case is like that.
std::vector<double> without_strays(std::span<const double> level);

}  // namespace plumbline
