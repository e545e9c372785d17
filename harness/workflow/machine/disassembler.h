/// nvdisasm, CUDA's disassembler: where it is, and what it says of a file of instructions.
///
/// Runs a program; knows no run and no comparison.
#pragma once

#include <span>
#include <string>

namespace plumbline {

/// The first of: $PLUMBLINE_NVDISASM, that in PATH, that of the toolkit in $CUDA_HOME, that in
/// /usr/local/cuda, and that of the package triton in one of `packages`, folders of Python's
/// packages. "" if there is none. Throws Error if the variable names no file.
std::string find_nvdisasm(std::span<const std::string> packages);

struct Disassembled {
  std::string text;      // of nvdisasm
  std::string failure;   // why there is none, in words; "": there is
  bool is_late = false;  // it was ended after its time: it may be slow with every file
};

/// The instructions in a file whose name ends as kept_code.h ends it: ".sm_90a.bin". Ends nvdisasm
/// after `timeout_s`. Throws nothing.
Disassembled disassembled(const std::string& nvdisasm, const std::string& path,
                          double timeout_s = 30);

}  // namespace plumbline
