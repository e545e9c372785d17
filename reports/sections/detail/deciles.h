/// The distribution of both sides' samples, and the change of each part.
///
/// The shift function (Doksum 1974; Wilcox 1995): the change of each decile. The visit is the unit,
/// as for verdicts: deciles are taken within each visit, and the interval is Welch's over the
/// visits of both sides. No verdict depends on it.
#pragma once

#include <string>
#include <vector>

#include "reports/model.h"

namespace plumbline {

/// Values in the metric's base unit, geometric means over the visits; changes as fractions of the
/// baseline's. kUnknown: a side has no visit with enough values, or an interval lacks two visits on
/// a side. Equal visits have an interval of width zero.
struct Decile {
  double baseline = kUnknown, candidate = kUnknown;
  double change = kUnknown, low = kUnknown, high = kUnknown;  // 99 % interval
};

/// Minimum number of values of a visit for its deciles.
inline constexpr std::size_t kDecileValuesMin = 8;

/// The nine deciles from 10 % to 90 %, over all samples of blocks that count. Empty if neither side
/// has enough values (a baseline has none), or if a value is not above 0.
std::vector<Decile> deciles_of(const CaseView& view);

/// `[[baseline, candidate, change, low, high], …]`, null where unknown; "null" if empty.
std::string deciles_json(const std::vector<Decile>& deciles);

}  // namespace plumbline
