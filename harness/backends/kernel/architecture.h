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
  char suffix = 0;  // 'a': only that number, 'f': its family, 0: that number and later ones
  bool operator==(const Architecture&) const = default;
};

/// Parses "sm_90a" or "compute_90a"; nullopt for other texts.
std::optional<Architecture> architecture_named(std::string_view name);
std::string name_of(const Architecture& architecture);

/// The architecture after ".target" in PTX; nullopt if it is missing or unknown.
std::optional<Architecture> target_in_ptx(std::string_view ptx);

/// Why PTX for `target` cannot be assembled for a GPU of `here`: "is for sm_100a alone, not for
/// sm_90a". "" if it can.
std::string ptx_misfit(const Architecture& target, const Architecture& here);

/// Why machine code for `target` does not run on a GPU of `here`; "" if it does.
std::string machine_code_misfit(const Architecture& target, const Architecture& here);

/// The most shared memory of a block, bytes (CUDA C++ Programming Guide, "Technical Specifications
/// per Compute Capability"); for an unknown architecture the largest known value.
std::int64_t shared_bytes_of(const Architecture& architecture);

}  // namespace plumbline
