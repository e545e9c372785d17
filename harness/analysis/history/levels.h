/// The levels of a case over its runs. Steps between levels are no noise: the variance of a case is
/// estimated within levels, and the runs of a level together show where it lies.
///
/// Pure numbers, in the order of time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace plumbline {

/// Index at which each level begins; the first is 0. A step is at least 1 % and exceeds the scatter
/// around it (t test at 1e-4, up to eight runs on either side). A level has at least two runs,
/// since a single one may be a bad one. `first_alone`: the first level may be a single run. `logs`
/// are logarithms.
std::vector<std::size_t> level_starts(std::span<const double> logs, bool first_alone = false);

/// Begin and end of the level that holds the value at `index`.
struct LevelRange {
  std::size_t begin = 0, end = 0;
};
LevelRange level_of(std::span<const std::size_t> starts, std::size_t index, std::size_t size);

/// A level without single bad runs (a slow night, for example). They would hide every change of a
/// case as long as they are in its history. Nothing is removed from fewer than eight values, or if
/// more than one in eight is a stray: the case is like that. `judged`: the value that
/// is judged by this level. A stray stays if that value is less than half as far from it as from
/// the middle: the case may have two modes, and both runs may be in the rarer one.
std::vector<double> without_strays(std::span<const double> level,
                                   std::optional<double> judged = std::nullopt);

}  // namespace plumbline
