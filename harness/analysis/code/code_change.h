/// How the machine code of a kernel differs between the two sides of a comparison.
///
/// Pure data, part of the verdict object (compare/comparison.h). store/recorded/changed_code.h
/// finds the kernels, compared_code.h compares their instructions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// A kernel on one side.
struct CodeSide {
  std::string hash;                              // of its machine code
  std::size_t instructions = 0;                  // without those that fill up its end
  std::optional<double> registers, local_bytes;  // of a thread; nothing: not recorded
};

/// How often an opcode, up to its first dot, stands in the code.
struct OpcodeCount {
  std::string opcode;
  std::size_t before = 0, after = 0;
};

struct ChangedCodeCase {
  std::string suite, case_id;
};

struct CodeChange {
  std::string kernel;  // as results.csv names it
  CodeSide before, after;
  std::vector<ChangedCodeCase> cases;  // changed cases that run it
  std::string unknown;                 // why its instructions are not known; "": they are
  std::vector<OpcodeCount> mix;        // those that differ, the largest difference first
  // Unified, without file names: "@@ -3,7 +3,8 @@", then lines that begin with ' ', '-' or '+'.
  std::vector<std::string> diff;
  std::size_t left_out = 0;  // further lines of the diff
  bool is_partial = false;   // code behind the diff was not compared: it differs too much
};

}  // namespace plumbline
