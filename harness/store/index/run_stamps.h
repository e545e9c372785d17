/// What the files of a run directory looked like when they were read: size and times of run.json,
/// results.csv and summary.csv.
///
/// A run whose stamps changed is read again. The time of a file's last change of any kind (ctime)
/// is among them, because no program can set it.
#pragma once

#include <cstdint>
#include <string>

namespace plumbline {

struct RunStamps {
  std::string text;              // equal as long as no file was changed, replaced or removed
  std::int64_t newest_ns = 0;    // the latest of their times, since 1970
  std::uint64_t read_bytes = 0;  // that reading the run for a history takes, about
};

/// Never fails: a file that is not there is part of the text.
RunStamps stamps_of(const std::string& run_directory);

/// True if a change that came after `read_ns`, when the run was read, would show in its stamps.
/// Clocks of file systems tick every few milliseconds: of two changes within a tick, the second is
/// not seen.
bool are_settled(const RunStamps& stamps, std::int64_t read_ns);

/// The system's clock, in nanoseconds since 1970.
std::int64_t now_ns();

}  // namespace plumbline
