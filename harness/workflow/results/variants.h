/// The cases of one run as variants of the same work: those that are equal except for one axis.
///
/// An axis is `backend`, a parameter, or the name before the dot of several (`stream` of
/// `stream.count`). What an id leaves out is at its default, which the catalogue knows. Pure: reads
/// no files. analysis/devices/device_table.h compares the variants.
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
  std::vector<CaseKey> declared{};  // by the suites, in their order; values and cases stand in it
};

/// A run for each value of the axis, whose cases have the same id where all else is equal.
struct Variants {
  std::vector<std::string> names;  // "libtorch"; of parameters "block=64"
  std::vector<Run> runs;           // with the cases that the reference has too
  std::string reference;           // one of `names`
  std::vector<std::string> notes;  // what is left out, and why
};

/// Values that were not declared stand behind those that were: defaults, numbers in rising order,
/// texts; backends as core/op/op_spec.h lists them. Throws Error for an axis or a reference that no
/// case has, and where no two cases that were measured differ by the axis alone.
Variants variants_in(const Run& run, const VariantsAsked& asked, const Catalogue& catalogue);

}  // namespace plumbline
