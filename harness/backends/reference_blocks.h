/// Float64 references of large problems in bounded memory: block after block, of which nothing is
/// kept but what goes in and what comes out. Gradients compute a block's temporaries again.
///
/// Knows no op. What grows with a result, an input or its gradient is not bounded here.
#pragma once

#include <functional>

#include "backends/implementation.h"

namespace plumbline {

/// Of the largest tensor that a block makes: a handful of them live at once. Products of this size
/// keep a GPU busy.
inline constexpr std::int64_t kBlockBytes = std::int64_t{256} << 20;

/// Another limit for as long as it lives: tests force small problems into several blocks.
class BlockLimit {
 public:
  explicit BlockLimit(std::int64_t bytes);
  ~BlockLimit();
  BlockLimit(const BlockLimit&) = delete;
  BlockLimit& operator=(const BlockLimit&) = delete;

 private:
  std::int64_t before_;
};

/// A result's `outer` x `inner` pieces, of which each takes `bytes_each` on its way. A block is
/// several outer pieces, or, where one is too large, some of the inner pieces of one.
struct BlockGrid {
  std::int64_t outer = 1, inner = 1, bytes_each = 8;
  std::int64_t inner_dimension = 1;  // of the result; the outer pieces are dimension 0
};

/// What a block has to compute: all inner pieces from `begin` to before `end`, of as many outer
/// pieces as the split inputs bring, by operators that autograd knows.
using BlockFunction =
    std::function<at::Tensor(const Tensors& inputs, std::int64_t begin, std::int64_t end)>;

/// The blocks' results, joined. `function` is handed its part, along dimension 0, of every tensor
/// of `split`, then the tensors of `whole`; it must outlive no call, being copied. The order of the
/// blocks is fixed, and so is that in which gradients of `whole` are summed. A single block is
/// recorded by autograd as if it were no block.
at::Tensor in_blocks(const BlockGrid& grid, const Tensors& split, const Tensors& whole,
                     const BlockFunction& function);

/// The same for results whose rows (dimension 0) are independent of each other.
at::Tensor in_row_blocks(std::int64_t bytes_of_row, const Tensors& split, const Tensors& whole,
                         const std::function<at::Tensor(const Tensors& inputs)>& function);

}  // namespace plumbline
