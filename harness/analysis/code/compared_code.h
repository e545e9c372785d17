/// Compares two disassemblies of a kernel. Pure.
#pragma once

#include <string_view>

#include "analysis/code/code_change.h"

namespace plumbline {

/// The most lines of a diff that are kept: a page shows many kernels.
inline constexpr std::size_t kMostDiffLines = 300;

/// Sets the instructions, mix and diff of `change`; `before` and `after` are texts of nvdisasm.
/// Equal instructions whose branches lead to other places count as different.
void compare_code_texts(std::string_view before, std::string_view after, CodeChange& change);

}  // namespace plumbline
