/// Imports results of other programs as runs: tables and JSON by a mapping, and the self-describing
/// JSON of Google Benchmark and NVBench.
///
/// Nothing is invented: missing information stays unknown, a single value is one sample of one
/// visit, and results are UNVERIFIED. Nothing is lost silently: unreadable input throws Error with
/// its place; the notes count what is left out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/run/import_mapping.h"
#include "core/run/run.h"

namespace plumbline {

/// Runs that are not yet written; `path` of each is the name of its future folder.
struct Imported {
  std::vector<Run> runs;           // one for each device class and environment, in order
  std::vector<std::string> notes;  // what was left out, and how much
};

struct ImportOptions {
  std::string device;   // device class of all results, "" = the file has it
  std::string backend;  // for Google Benchmark and NVBench, "" = the name of the file's program
};

/// Imports a CSV file with a header; its last line may lack a newline. Throws Error with file, row,
/// line and column.
Imported import_csv(const std::string& path, const ImportMapping& mapping,
                    const ImportOptions& options = {});

/// Imports JSON, or JSON lines, by the same mapping. A path that no row has is left out, and told
/// in the notes, if it is of a metric beside others, of the environment or the reason; else it is
/// an Error. Throws Error with file, line and JSON path.
Imported import_json(const std::string& path, const ImportMapping& mapping,
                     const ImportOptions& options = {});
Imported import_json_lines(const std::string& path, const ImportMapping& mapping,
                           const ImportOptions& options = {});

/// Imports Google Benchmark's JSON (`--benchmark_format=json`). Each file is a process, so it is a
/// visit; its repetitions are samples of that visit. Files of plumbline-gbench get back their
/// cases, metrics, rounds and environment. Throws Error with file and JSON path, and for a file
/// given twice.
Imported import_gbench(const std::vector<std::string>& paths, const ImportOptions& options = {});

/// Imports NVBench's JSON (`--json`, or `--jsonbin` with its files of samples); each file is a
/// process, so it is a visit. Throws Error with file and JSON path, for a file given twice, and for
/// samples that do not fit (import_nvbench_samples.h).
Imported import_nvbench(const std::vector<std::string>& paths, const ImportOptions& options = {});

/// Writes each run into a directory with its name in `folder` and returns the paths. `command` and
/// `now` (ISO 8601 UTC) are stored in run.json. Throws Error; runs already written stay.
std::vector<std::string> write_imported(const Imported& imported, const std::string& folder,
                                        const std::vector<std::string>& command,
                                        const std::string& now);

}  // namespace plumbline
