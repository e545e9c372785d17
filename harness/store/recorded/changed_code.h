/// Kernels whose machine code differs between the two sides of pairs, by the hashes that rows hold.
///
/// Reads the JSON of results.csv's column `kernels`; reads no code (analysis/code/).
#pragma once

#include <set>
#include <vector>

#include "analysis/compare/comparison.h"
#include "core/run/case.h"
#include "core/run/run.h"

namespace plumbline {

/// Of findings that are SLOWER or FASTER or have a cause: kernels of the same name, matched in
/// their order, whose hashes are known and differ. Each pair of hashes once, in the order of the
/// findings; without instructions.
std::vector<CodeChange> changed_code(const Comparison& comparison, const Run& a, const Run& b);

/// Cases whose kernels are the same on both sides in name, launch and number, all with known and
/// equal code.
std::set<CaseKey> cases_of_equal_code(const Run& a, const Run& b);

}  // namespace plumbline
