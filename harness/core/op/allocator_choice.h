/// Who gives memory to the tensors of a case: the harness' arena, or an allocator of LibTorch,
/// where a network has the technique `allocator`. LibTorch reads its settings once, so that each
/// choice is a process of its own.
///
/// Knows no library.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "core/value.h"

namespace plumbline {

enum class TensorAllocator { arena, native, expandable_segments, cuda_malloc_async };

/// Values of the technique, and what $PYTORCH_ALLOC_CONF says for each; "": it stays as it is.
struct TensorAllocatorNames {
  std::string_view value, settings;
};
inline constexpr std::array<TensorAllocatorNames, 4> kTensorAllocators{
    {{"arena", ""},
     {"native", "backend:native"},
     {"expandable_segments", "expandable_segments:True"},
     {"cuda_malloc_async", "backend:cudaMallocAsync"}}};

inline constexpr const char* kAllocatorVariable = "PYTORCH_ALLOC_CONF";
/// The worker's --arena for those that do not place tensors in one.
inline constexpr const char* kNoArena = "none";

inline std::string_view settings_of(TensorAllocator allocator) {
  return kTensorAllocators[static_cast<std::size_t>(allocator)].settings;
}

/// The value of a network's technique; `arena` without it.
inline TensorAllocator tensor_allocator(const Params& params) {
  const auto found = params.find("allocator");
  if (found == params.end()) return TensorAllocator::arena;
  const auto* const value = std::get_if<std::string>(&found->second);
  const auto known = std::ranges::find_if(
      kTensorAllocators,
      [value](const TensorAllocatorNames& names) { return value && names.value == *value; });
  return known == kTensorAllocators.end()
             ? TensorAllocator::arena
             : static_cast<TensorAllocator>(known - kTensorAllocators.begin());
}

}  // namespace plumbline
