/// Results of other programs as runs: tables by a mapping, and the JSON of Google Benchmark and
/// NVBench, which say themselves what they hold.
///
/// Nothing is invented: what was not said stays unknown, a value alone is one sample of one visit,
/// and results are UNVERIFIED, because nobody here checked them. Nothing is lost in silence: what
/// cannot be read is an Error with its place, what is left out is counted in the notes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/run/import_mapping.h"
#include "core/run/run.h"

namespace plumbline {

/// Runs that are not yet written; `path` of each is the name that its folder shall have.
struct Imported {
  std::vector<Run> runs;           // one for each device class and environment, in their order
  std::vector<std::string> notes;  // what was left out, and how much
};

struct ImportOptions {
  std::string device;   // class of all results, "" = the file says it
  std::string backend;  // of Google Benchmark's and NVBench's cases, "" = by the file's program
};

/// Rows of a CSV file with a header; the last may lack its line end. Throws Error with file, row,
/// line and column.
Imported import_csv(const std::string& path, const ImportMapping& mapping,
                    const ImportOptions& options = {});

/// Google Benchmark's JSON (`--benchmark_format=json`). Each file is a process and so a visit; its
/// repetitions are samples of that visit. What plumbline-gbench wrote gets its cases, metrics,
/// rounds and environment back. Throws Error with file and JSON path, and for a file given twice.
Imported import_gbench(const std::vector<std::string>& paths, const ImportOptions& options = {});

/// NVBench's JSON (`--json`), of which each file is a process and so a visit. Throws Error with
/// file and JSON path, and for a file given twice.
Imported import_nvbench(const std::vector<std::string>& paths, const ImportOptions& options = {});

/// Writes each run into a directory of its name in `folder`; gives their paths. `command` and
/// `now` (ISO 8601 UTC) go into run.json. Throws Error; a run that was written stays.
std::vector<std::string> write_imported(const Imported& imported, const std::string& folder,
                                        const std::vector<std::string>& command,
                                        const std::string& now);

}  // namespace plumbline
