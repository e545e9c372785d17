/// Numbers in a text file, one per line.
///
/// Blank lines and text after '#' are skipped. Knows the domain of the numbers, not their purpose.
#pragma once

#include <string>
#include <vector>

#include "stats/table/table.h"

namespace plumbline {

/// The numbers of the file, in order. Throws Error with file, line and column for a word that is
/// not a finite number in the domain.
std::vector<double> read_numbers(const std::string& path, Domain domain);

}  // namespace plumbline
