/// What a memory checker (compute-sanitizer) finds in kernels, case by case.
///
/// Pure data: schedule/ collects it, store/ writes it, cli/ shows it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace plumbline {

inline constexpr std::array<std::string_view, 4> kSanitizerTools{"memcheck", "racecheck",
                                                                 "initcheck", "synccheck"};

/// Errors of one kind at one place in a kernel.
struct SanitizerFinding {
  std::string kind;           // "Invalid __global__ write of size 4 bytes"
  std::string kernel;         // "scale(float *, long)"; "" = unknown
  std::string location;       // "kernels.cu:34"; "" = unknown
  std::string thread, block;  // "(0,0,0)", of the first of these errors
  std::string address;        // what the tool said of it: "0x7f0 is out of bounds"
  std::int64_t count = 1;
  std::string text;  // of the first of these errors, as the tool printed it
};

/// What the tool reported while some cases ran.
struct SanitizerReport {
  std::vector<SanitizerFinding> findings;
  std::int64_t errors = 0;         // counted by the tool, with those that it did not print
  bool is_complete = false;        // the tool printed its summary
  std::vector<std::string> notes;  // everything else that the tool said, line by line

  /// The tool finished, found nothing, and reported no problem of its own.
  bool is_clean() const { return is_complete && errors == 0 && findings.empty() && notes.empty(); }
};

/// A case that ran under the tool, or was not run (excluded, unsupported).
struct CheckedCase {
  std::string suite, case_id;
  Status status = Status::ok;  // WRONG where there are findings
  std::string reason;          // "" for OK
  SanitizerReport report;
};

}  // namespace plumbline
