/// The text of nvdisasm as instructions that can be compared: without addresses and encodings,
/// branches lead to labels. So one more instruction does not change all branches behind it.
///
/// Pure; starts no program. What the text looks like was seen in nvdisasm 12.8 (`-b SM90`) on code
/// for compute capability 8.0 to 12.0. CUDA Binary Utilities, "Instruction Set Reference".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/code/code_change.h"

namespace plumbline {

/// A label, or an instruction.
struct CodeLine {
  std::string text;  // "L2:", "  @!P0 BRA L2"
  std::string key;   // the same with every label as "L": equal for equal code in another place
  int label = 0;     // the number in the text; 0: there is none
  bool is_label = false;
};

/// Labels are numbered from 1 in the order of their places. NOPs at the end are left out: they fill
/// a function up to a multiple of 128 bytes. Lines that are no instructions are skipped.
std::vector<CodeLine> code_lines(std::string_view nvdisasm);

/// "FFMA" of "  @!P0 FFMA.FTZ R1, R2, R3, R4".
std::string_view opcode_of(std::string_view instruction);

std::size_t instructions_in(std::span<const CodeLine> lines);

/// Opcodes that do not stand equally often in both, the largest difference first, ties by name.
std::vector<OpcodeCount> changed_mix(std::span<const CodeLine> before,
                                     std::span<const CodeLine> after);

}  // namespace plumbline
