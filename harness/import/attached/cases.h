/// One run of a program under `plumbline attach` as a visit of cases: a case for each kernel with
/// its grid and block, for each NVTX range, and one for the whole program.
///
/// Rules:
/// - Launches belong to one case if they have the same stable name (stable_names.h), grid and
///   block. If different kernels of one process do, that is told.
/// - The first launch of a case in each process is its own metric, `first_time`. Only where no
///   process launched it twice does it count; the row then has the flag kFlagRanOnce.
/// - Launches are in the order of their start, in up to 16 blocks of equal size. If a block would
///   hold more than 64 samples, a sample is the mean of several launches (`batch`).
///
/// Starts nothing and reads no file.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/run/result.h"
#include "import/attached/records.h"

namespace plumbline {

inline constexpr const char* kFlagRanOnce = "ran once: warm-up is in it";

/// A run of the program.
struct AttachedVisit {
  std::vector<AttachedProcess> processes;
  double wall_s = kUnknown;
  std::string failure;          // how the program ended if it failed, in words; "" if it did not
  bool is_interrupted = false;  // that was the user's signal
  std::int64_t round = 0;
  std::string worker;  // as in ResultRow::worker
};

/// Rows of one case, numbered; each element is a visit of a case. The program's comes last, and has
/// the status CRASHED if it failed, INTERRUPTED if the user stopped it.
using VisitsOfCases = std::vector<std::vector<ResultRow>>;

/// Facts that all visits of a run share, and what users are told about them.
struct AttachedFacts {
  std::set<std::string> notes;
  /// By case: the kernels or ranges that share it, where one process had several.
  std::map<std::string, std::set<std::string>> merged;
};

VisitsOfCases cases_of(const AttachedVisit& visit, const std::string& suite, AttachedFacts& facts);

/// The sentences for the user: what was merged, lost or not recorded.
std::vector<std::string> notes_of(const AttachedFacts& facts);

/// Kernels that were recorded in all processes.
std::size_t kernels_in(const std::vector<AttachedProcess>& processes);

/// Why no kernel was recorded, and what to do. `processes`: the files that the program left.
std::string why_nothing_ran(const std::vector<AttachedProcess>& processes);

}  // namespace plumbline
