/// A mapping file: which column of another program's table is what
/// (harness/import/mappings/README.md).
///
/// Reads and checks the mapping alone; whether a table has the columns is known where it is read.
#pragma once

#include <string>
#include <vector>

#include "core/run/import_mapping.h"

namespace plumbline {

/// Throws Error with file, line and column for unknown keys, missing ones, and values that cannot
/// be what the key says.
ImportMapping read_import_mapping(const std::string& path);

/// The same from the command line: `op=gemm`, `params.m=$m`, `metrics.time.unit=ms`.
ImportMapping import_mapping_of(const std::vector<std::string>& assignments);

}  // namespace plumbline
