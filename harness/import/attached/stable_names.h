/// Names of kernels and NVTX ranges that stay the same from one process, compilation and commit to
/// the next.
///
/// Compilers put hashes, counters and specialisations into names. A table of rules, each with an
/// example, removes them. Two different kernels may then share a name: who groups them says so.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace plumbline {

struct NameRule {
  std::string_view pattern;           // ECMAScript
  std::string_view replacement;       // $1, …
  std::string_view what;              // that the pattern finds
  std::string_view example, becomes;  // tests check both
};

/// For demangled names of kernels, applied in this order.
std::span<const NameRule> kernel_name_rules();
/// For texts of ranges.
std::span<const NameRule> range_name_rules();

/// As the compiler's source has it; the symbol itself if it is not mangled.
std::string demangled(const std::string& symbol);

/// Without return type, parameters of templates, and what the rules find. A name of more than 100
/// characters is cut; a hash of the whole stands at its end.
std::string stable_kernel_name(const std::string& symbol);
std::string stable_range_name(const std::string& text);

}  // namespace plumbline
