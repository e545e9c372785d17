/// A corpus: recorded nights of unchanged code with all their samples, and the slowdowns that are
/// planted into them, so that rules for verdicts can be scored on the same data.
///
/// Knows no rule: scripts/score_corpus reads a corpus. The nights are ordinary run directories, so
/// that formats and readers of store/ serve them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workflow/talk.h"

namespace plumbline {

/// In a corpus: the nights, and what is planted into them (planted.h).
inline constexpr const char* kCorpusNights = "nights.tar.zst";
inline constexpr const char* kCorpusPlanted = "planted.csv";

struct CorpusRequest {
  std::vector<std::string> runs;  // run directories, in any order
  std::string output;             // a new or empty folder
  std::size_t planted = 50;       // trials
  std::uint64_t seed = 1;         // of what is planted
};

struct CorpusOutcome {
  std::map<std::string, std::size_t> nights;  // by device class
  std::size_t cases = 0, samples = 0, planted = 0;
  std::uint64_t bytes = 0;  // of the corpus
};

/// Writes the nights in the order of their starts as night-01, night-02, …, redacted as by
/// `redact`, without summary.csv. Times of samples are rounded to a picosecond, starts of blocks to
/// a millisecond: less than any timer reads. The same runs and seed give the same bytes. Throws
/// Error that names the run and says what to do: fewer than two runs, a run twice, unfinished runs,
/// runs without samples, and runs that differ in suites, policy or measurement revision. A note
/// says where the measured code may differ.
CorpusOutcome write_corpus(const CorpusRequest& request, Talk& talk);

/// Writes the nights of the corpus in `folder` as run directories into `output`, a new or empty
/// folder, as they were recorded: nothing is planted. Gives their paths. Throws Error.
std::vector<std::string> unpack_corpus(const std::string& folder, const std::string& output);

}  // namespace plumbline
