/// Parses the output of compute-sanitizer into findings. Pure functions.
///
/// Its lines begin with "=========": a heading, followed by indented lines that belong to it.
/// Formats: the manual of Compute Sanitizer 2020.3 to 2026.4 and the output of those versions.
#pragma once

#include <string>
#include <string_view>

#include "core/sanitizer.h"

namespace plumbline {

/// Findings of the same kind at the same place are merged and counted. No line is lost: lines that
/// are neither part of a finding nor a summary are in `notes`.
SanitizerReport parse_sanitizer_log(std::string_view text);

/// "memcheck: Invalid __global__ write of size 4 bytes at scale(float *) in scale.cu:9 by thread
/// (0,0,0) in block (1,0,0), 0x7f0 is out of bounds (32 errors)", and how many other kinds follow.
/// "" if the report is clean.
std::string in_words(std::string_view tool, const SanitizerReport& report);

}  // namespace plumbline
