/// What the changes of a comparison say of its own noise model: too narrow, or far too wide.
///
/// Most cases of a run did not change. Where these scatter by more than the model says, its errors
/// are widened; where they refute what it says that whole runs differ by, that part is narrowed.
/// Pure numbers: deviates and their sizes, neither cases nor runs.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

struct NoiseFit {
  double errors = 1;  // factor of all errors, 1 or more (excess_scatter())
  double runs = 1;    // factor of what whole runs differ by, 1 or less (share_of_runs())

  bool operator==(const NoiseFit&) const = default;
};

/// By metric; one that is not in it fits.
using NoiseFits = std::map<std::string, NoiseFit>;

/// |z| of a two-sided p value in [0, 1].
double deviate_of(double p);

/// How many times too small the errors are that gave these deviates, with their signs, one of each
/// case; 1 where they may fit, and of few cases. Looked at on either side of zero by the third of
/// the deviates nearest to it, and the smaller is taken: cases that got slower are on one side, and
/// neither they nor those that got faster lie next to zero.
double excess_scatter(std::span<const double> deviates);

/// The largest part of what whole runs are said to differ by (standard deviation) that the changes
/// of `cases` cases do not refute; 1 where more than half of it stands, and of fewer than twelve
/// cases. `sizes_at(share)`: |z| of each case with that share of it, smaller with a larger share.
///
/// A share stands where two thirds of the sizes may be as small as the model says (one-sided, 99 %)
/// or nine tenths are not: changed cases are in neither, and what scatters with heavier tails than
/// the model shows in the latter.
double share_of_runs(std::size_t cases,
                     const std::function<std::vector<double>(double share)>& sizes_at);

}  // namespace plumbline
