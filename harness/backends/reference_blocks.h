/// Float64 references of large problems in bounded memory. They run block by block and keep only
/// the inputs and outputs of each block. Gradients compute a block's temporaries again.
///
/// Knows no op. Results, inputs and their gradients themselves are not bounded.
#pragma once

#include <functional>

#include "backends/implementation.h"

namespace plumbline {

/// Of the largest tensor in a block; several such tensors live at once. Products of this size keep
/// a GPU busy.
inline constexpr std::int64_t kBlockBytes = std::int64_t{256} << 20;

/// Sets another limit during its lifetime: tests use it to split small problems into several
/// blocks.
class BlockLimit {
 public:
  explicit BlockLimit(std::int64_t bytes);
  ~BlockLimit();
  BlockLimit(const BlockLimit&) = delete;
  BlockLimit& operator=(const BlockLimit&) = delete;

 private:
  std::int64_t before_;
};

/// A result's `outer` x `inner` pieces; each needs `bytes_each` while it is computed. A block is
/// several outer pieces or, if one outer piece is too large, some of its inner pieces.
struct BlockGrid {
  std::int64_t outer = 1, inner = 1, bytes_each = 8;
  std::int64_t inner_dimension = 1;  // of the result; dimension 0 has the outer pieces
};

/// Computes a block, with operators that autograd knows: the inner pieces `begin` … `end` - 1 of
/// those outer pieces that the split inputs contain.
using BlockFunction =
    std::function<at::Tensor(const Tensors& inputs, std::int64_t begin, std::int64_t end)>;

/// The joined results of all blocks. `function` gets its part (along dimension 0) of each tensor of
/// `split`, then the tensors of `whole`. It is copied, so it may be a temporary. The order of
/// blocks is fixed, also when gradients of `whole` are summed. Autograd records a single block as
/// if there were no blocks.
at::Tensor in_blocks(const BlockGrid& grid, const Tensors& split, const Tensors& whole,
                     const BlockFunction& function);

/// The same for results whose rows (dimension 0) do not depend on each other.
at::Tensor in_row_blocks(std::int64_t bytes_of_row, const Tensors& split, const Tensors& whole,
                         const std::function<at::Tensor(const Tensors& inputs)>& function);

}  // namespace plumbline
