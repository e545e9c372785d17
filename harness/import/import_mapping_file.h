/// A mapping file: the meaning of the columns in another program's table
/// (harness/import/mappings/README.md).
///
/// Reads and checks only the mapping; the reader of a table checks that its columns exist.
#pragma once

#include <string>
#include <vector>

#include "core/run/import_mapping.h"

namespace plumbline {

/// Throws Error with file, line and column for unknown keys, missing keys and invalid values.
/// `assignments` are as for import_mapping_of; they add to the file's keys, or replace their
/// values.
ImportMapping read_import_mapping(const std::string& path,
                                  const std::vector<std::string>& assignments = {});

/// The same for the command line: `op=gemm`, `params.m=$m`, `metrics.time.unit=ms`.
ImportMapping import_mapping_of(const std::vector<std::string>& assignments);

}  // namespace plumbline
