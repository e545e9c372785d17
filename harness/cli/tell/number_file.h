/// Numbers in a text file, one a line.
///
/// Blank lines are skipped, and so is what follows a '#'. Knows nothing of what the numbers are for
/// but their domain.
#pragma once

#include <string>
#include <vector>

#include "stats/table/table.h"

namespace plumbline {

/// The numbers of the file, in its order. Throws Error with file, line and column for what is no
/// finite number, or none of the domain.
std::vector<double> read_numbers(const std::string& path, Domain domain);

}  // namespace plumbline
