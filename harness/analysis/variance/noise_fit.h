/// What the changes of a comparison show about its own noise model: too narrow, or far too wide.
///
/// Most cases of a run did not change. If these scatter more than the model says, its errors are
/// widened. If they refute the assumed difference between whole runs, that part is narrowed. Pure
/// numbers: deviates and their sizes; does not know cases or runs.
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
  double runs = 1;    // factor of the difference between whole runs, 1 or less (share_of_runs())

  bool operator==(const NoiseFit&) const = default;
};

/// By metric; the model fits metrics that are not listed.
using NoiseFits = std::map<std::string, NoiseFit>;

/// |z| of a two-sided p value in [0, 1].
double deviate_of(double p);

/// The factor by which the errors behind these deviates are too small. Deviates have their signs,
/// one for each case. 1 if the errors may fit, and with few cases. Each side of zero is examined by
/// the third of its deviates nearest to zero, and the smaller factor is taken: cases that got
/// slower are all on one side, and changed cases are not near zero.
double excess_scatter(std::span<const double> deviates);

/// The largest share of the assumed difference between whole runs (standard deviation) that the
/// changes of `cases` cases do not refute. 1 if more than half of it stands, and with fewer than
/// twelve cases. `sizes_at(share)`: |z| of each case for that share, smaller for a larger share.
///
/// A share stands if two thirds of the sizes may be as large as the model says (one-sided, 99 %),
/// or if nine tenths are. Changed cases are in neither; scatter with heavier tails than the model
/// shows in the latter.
double share_of_runs(std::size_t cases,
                     const std::function<std::vector<double>(double share)>& sizes_at);

}  // namespace plumbline
