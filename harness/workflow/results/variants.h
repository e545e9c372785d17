/// The cases of one run as variants of the same work: cases that are equal except for one axis.
///
/// An axis is `backend`, a parameter, `technique` (core/op/techniques.h, all together), or the
/// common name before the dot of several parameters (`stream` for `stream.count`). A parameter that
/// an id leaves out has its default, from the catalogue. Pure: reads no files.
/// analysis/devices/device_table.h compares the variants.
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "core/op/op_spec.h"
#include "core/run/run.h"

namespace plumbline {

struct VariantsAsked {
  std::string axis;
  std::string reference{};          // its value, or its name in Variants; "" = the first measured
  std::vector<CaseKey> declared{};  // as suites declare them: the order of values and cases
};

/// One run for each value of the axis. Cases that are otherwise equal have the same id.
struct Variants {
  std::vector<std::string> names;  // "libtorch"; for parameters "block=64"
  std::vector<Run> runs;           // with the cases that the reference also has
  std::string reference;           // one of `names`
  std::vector<std::string> notes;  // what is left out, and why
};

/// Values that are not declared come after those that are: defaults, numbers in rising order,
/// texts; backends as in core/op/op_spec.h. Throws Error for an unknown axis or reference, and if
/// no two measured cases differ only by the axis.
Variants variants_in(const Run& run, const VariantsAsked& asked, const Catalogue& catalogue);

}  // namespace plumbline
