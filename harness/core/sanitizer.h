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
  std::string kernel;         // "scale(float *, long)"; "" = not said
  std::string location;       // "kernels.cu:34"; "" = not said
  std::string thread, block;  // "(0,0,0)", of the first of them
  std::string address;        // what was said of it: "0x7f0 is out of bounds"
  std::int64_t count = 1;
  std::string text;  // of the first of them, as the tool printed it
};

/// What the tool said while some cases ran.
struct SanitizerReport {
  std::vector<SanitizerFinding> findings;
  std::int64_t errors = 0;         // by the tool's own count; those that were not printed too
  bool is_complete = false;        // it came to its summary
  std::vector<std::string> notes;  // everything else that it said, line by line

  /// It came to its end and found nothing, and nothing kept it from looking.
  bool is_clean() const { return is_complete && errors == 0 && findings.empty() && notes.empty(); }
};

/// A case that ran under the tool, or that nobody ran (excluded, unsupported).
struct CheckedCase {
  std::string suite, case_id;
  Status status = Status::ok;  // WRONG where there are findings
  std::string reason;          // "" for OK
  SanitizerReport report;
};

}  // namespace plumbline
