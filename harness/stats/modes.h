/// How many modes values have, by the maxima of a smooth density.
///
/// Gaussian kernel density with the rule-of-thumb bandwidth of Silverman 1986 (section 3.4.2).
/// Pure numbers, no cases. Errors are thrown as Error.
#pragma once

#include <span>
#include <vector>

namespace plumbline {

/// What keeps a bump of the density from counting as a mode.
inline constexpr double kLeastModeShare = 0.05;  // of the values; and two of them
inline constexpr double kDeepestValley = 0.9;    // of the lower of two neighbouring maxima

struct Mode {
  double at = 0;     // where the density has its maximum
  double share = 0;  // of the values, between the valleys on its sides
};

struct Modes {
  std::vector<Mode> modes;  // from the left; never empty
  double bandwidth = 0;
};

/// Maxima of the density, looked for in steps of a tenth of the bandwidth, that are parted from
/// their neighbours by a valley below kDeepestValley of the lower one and hold kLeastModeShare of
/// the values. `bandwidth` 0 stands for Silverman's 0.9 min(sd, IQR / 1.34) n^(-1/5), without the
/// IQR where that is 0. Values that are all equal are one mode. Needs two values.
Modes find_modes(std::span<const double> values, double bandwidth = 0);

}  // namespace plumbline
