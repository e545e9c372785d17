/// What changed in the machine code of kernels, as data for the page's script.
#pragma once

#include <string>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// JSON for a script element: a list with kernel, text, facts, mix, diff, note and cases of each
/// change. "[]" without a comparison.
std::string code_json(const Comparison* comparison);

}  // namespace plumbline
