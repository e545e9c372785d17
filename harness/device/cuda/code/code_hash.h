/// A hash of what a kernel executes, which is equal for equal machine code wherever that lies.
///
/// Pure.
#pragma once

#include <string>
#include <string_view>

#include "device/cuda/code/cubin.h"

namespace plumbline::cuda {

/// 16 hexadecimal digits, of the instructions of the function and of all that it calls, their
/// scheduling bits and literals, and of the module's `__constant__` and initialised variables if
/// the code uses variables at all. Addresses do not count: neither those that the driver fills in,
/// nor where an entry lies in the module's table of addresses (constant bank 4), which other
/// functions of the module move. Names of data do not count.
///
/// Limits: other functions' constants make another hash, too. And code that finds its entry of the
/// table by a number in a register, as calls of printf and assert do, has another hash if the table
/// is another one.
std::string code_hash(const Cubin& cubin, const CubinFunction& function);

/// The instructions that the hash is of: those of the function, then those of each function that it
/// calls, once, as far as they are in the module.
std::string called_code(const Cubin& cubin, const CubinFunction& function);

/// The instructions with the places of entries in the table of addresses set to 0. `code` is that
/// of a function for compute capability 7.0 or later: instructions of 16 bytes.
std::string without_addresses(std::string_view code);

}  // namespace plumbline::cuda
