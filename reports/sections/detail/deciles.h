/// How the samples of both sides are distributed, and how far each part of them moved.
///
/// The shift function (Doksum 1974; Wilcox 1995): the change of each decile. A visit is the unit,
/// as for verdicts: a decile is taken within each visit, and its interval is Welch's over the
/// visits of both sides. No verdict rests on it.
#pragma once

#include <string>
#include <vector>

#include "reports/model.h"

namespace plumbline {

/// Values in the metric's base unit, geometric means over the visits; changes as fractions of the
/// baseline's. kUnknown: a side that has no visit with enough values, an interval that needs two
/// visits a side; visits that are all alike have one without width.
struct Decile {
  double baseline = kUnknown, candidate = kUnknown;
  double change = kUnknown, low = kUnknown, high = kUnknown;  // 99 % interval
};

/// A visit needs as many values for its deciles.
inline constexpr std::size_t kDecileValuesMin = 8;

/// The nine from 10 % to 90 %, of all samples of the blocks that count. None where neither side has
/// enough (a baseline has none), or a value is not above 0.
std::vector<Decile> deciles_of(const CaseView& view);

/// `[[baseline, candidate, change, low, high], …]`, null where unknown; "null" for none.
std::string deciles_json(const std::vector<Decile>& deciles);

}  // namespace plumbline
