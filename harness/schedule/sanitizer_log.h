/// The text that compute-sanitizer prints, as findings. Pure functions.
///
/// Its lines begin with "=========": a heading, and what belongs to it indented below. Formats: the
/// manual of Compute Sanitizer 2020.3 to 2026.4 and what those versions print.
#pragma once

#include <string>
#include <string_view>

#include "core/sanitizer.h"

namespace plumbline {

/// Findings of the same kind at the same place are one, counted. No line is lost: what is neither
/// part of a finding nor a summary stands in `notes`.
SanitizerReport parse_sanitizer_log(std::string_view text);

/// "memcheck: Invalid __global__ write of size 4 bytes at scale(float *) in scale.cu:9 by thread
/// (0,0,0) in block (1,0,0), 0x7f0 is out of bounds (32 errors)", and how many more kinds there
/// are. "" where the report is clean.
std::string in_words(std::string_view tool, const SanitizerReport& report);

}  // namespace plumbline
