/// The parameters of a compiled kernel against the arguments that are declared for it.
///
/// A kernel gets a list of addresses: nothing but this check stands between a wrong declaration and
/// a launch that reads what is not there. Sizes and offsets come from PTX (PTX ISA, "Kernel
/// Function Parameters") or from the CUDA run time; types, where the name is mangled, from the name
/// (Itanium C++ ABI). Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/run/case.h"

namespace plumbline {

/// A parameter as the kernel has it.
struct KernelParameter {
  enum class Kind { unknown, integral, floating };
  std::size_t offset = 0, size = 0;  // bytes
  Kind kind = Kind::unknown;         // as PTX tells; a pointer is integral there
  bool operator==(const KernelParameter&) const = default;
};

/// Those of the entry `symbol`; nothing where the text has no such entry. Throws Error for a
/// parameter list that cannot be read.
std::optional<std::vector<KernelParameter>> parameters_in_ptx(std::string_view ptx,
                                                              std::string_view symbol);

/// Names of all entries of a PTX text.
std::vector<std::string> entries_in_ptx(std::string_view ptx);

/// What does not fit, in words, "" where all does. `types` are those of the tensors' elements as
/// far as they are known, nothing for scalars; `symbol` is the kernel's name, mangled or not.
std::string mismatch(const std::vector<Argument>& arguments,
                     const std::vector<std::optional<DType>>& types,
                     const std::vector<KernelParameter>& parameters, const std::string& symbol);

}  // namespace plumbline
