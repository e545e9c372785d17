/// GPU architectures by NVIDIA's names (sm_90a), and which code runs on which. Pure.
///
/// PTX ISA, "Directives: .target"; CUDA C++ Programming Guide, "Application Compatibility".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

struct Architecture {
  int number = 0;   // 90: compute capability 9.0
  char suffix = 0;  // 'a': for that number alone, 'f': for its family, 0: for it and later ones
  bool operator==(const Architecture&) const = default;
};

/// "sm_90a", "compute_90a"; nothing for another text.
std::optional<Architecture> architecture_named(std::string_view name);
std::string name_of(const Architecture& architecture);

/// What follows ".target" in PTX; nothing where there is none that is known.
std::optional<Architecture> target_in_ptx(std::string_view ptx);

/// Why PTX for `target` is not assembled for a GPU of `here`, "" where it is: "is for sm_100a
/// alone, not for sm_90a".
std::string ptx_misfit(const Architecture& target, const Architecture& here);

/// Why machine code for `target` does not run on a GPU of `here`, "" where it does.
std::string machine_code_misfit(const Architecture& target, const Architecture& here);

/// Shared memory that a block can have at most, bytes (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability"); of an architecture that is not known the largest.
std::int64_t shared_bytes_of(const Architecture& architecture);

}  // namespace plumbline
