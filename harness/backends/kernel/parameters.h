/// Checks a compiled kernel's parameters against the declared arguments.
///
/// A kernel gets a list of addresses. Without this check, a wrong declaration would make a launch
/// read invalid memory. Sizes and offsets come from PTX (PTX ISA, "Kernel Function Parameters") or
/// from the CUDA run time. Types come from the kernel's name, if it is mangled (Itanium C++ ABI).
/// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/run/case.h"

namespace plumbline {

/// A parameter as the compiled kernel has it.
struct KernelParameter {
  enum class Kind { unknown, integral, floating };
  std::size_t offset = 0, size = 0;  // bytes
  Kind kind = Kind::unknown;         // from PTX, where a pointer is integral
  bool operator==(const KernelParameter&) const = default;
};

/// Parameters of the entry `symbol`; nullopt if the text has no such entry. Throws Error for a
/// parameter list that cannot be read.
std::optional<std::vector<KernelParameter>> parameters_in_ptx(std::string_view ptx,
                                                              std::string_view symbol);

/// Names of all entries of a PTX text.
std::vector<std::string> entries_in_ptx(std::string_view ptx);

/// What does not fit, in words; "" if all fits. `types`: of the tensors' elements if known, nullopt
/// for scalars. `symbol`: the kernel's name, mangled or not.
std::string mismatch(const std::vector<Argument>& arguments,
                     const std::vector<std::optional<DType>>& types,
                     const std::vector<KernelParameter>& parameters, const std::string& symbol);

}  // namespace plumbline
