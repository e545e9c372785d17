/// Inputs of ops of several ranks, which lie on the ranks' devices, and their expected results,
/// which lie on that of rank 0.
///
/// A vector may fill much of a device's memory. So references of these ops get inputs in their own
/// types, and expected vectors are made and compared in pieces: as many elements as take a block
/// (reference_blocks.h) in float64. A shorter vector is one piece.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include <algorithm>
#include <functional>

#include "backends/block_bytes.h"
#include "backends/implementation.h"
#include "backends/libtorch/libtorch.h"
#include "core/op/ranks.h"

namespace plumbline {

/// One tensor of that shape for each rank: name0, name1, …
inline std::vector<InputSpec> tensors_of_ranks(const Problem& p, const std::string& name,
                                               const std::vector<std::int64_t>& shape) {
  std::vector<InputSpec> specs;
  for (int rank = 0; rank < ranks_of(p.subject().params); ++rank)
    specs.push_back(
        {.name = name + std::to_string(rank), .shape = shape, .dtype = p.dtype(), .rank = rank});
  return specs;
}

inline std::vector<InputSpec> vectors_of_ranks(const Problem& p, std::int64_t elements) {
  return tensors_of_ranks(p, "x", {elements});
}

/// In float64 on the device of the first.
inline Tensors exact_on_first(const Tensors& tensors) {
  Tensors copies;
  for (const at::Tensor& tensor : tensors)
    copies.push_back(exact(tensor.to(tensors.front().device())));
  return copies;
}

/// Of the first `ranks` tensors, which are on one device.
inline at::Tensor sum_of_ranks(const Tensors& tensors, std::size_t ranks) {
  at::Tensor total = tensors[0];
  for (std::size_t rank = 1; rank < ranks; ++rank) total = total + tensors[rank];
  return total;
}

/// What is compared with a reference of rank 0: all results, there.
inline Tensors on_rank_0(const Problem&, const Tensors& inputs, const Tensors& results) {
  Tensors copies;
  for (const at::Tensor& result : results) copies.push_back(result.to(inputs.front().device()));
  return copies;
}

inline std::int64_t elements_of_piece() { return std::max<std::int64_t>(block_bytes() / 8, 1); }

/// An expected vector in pieces. `make` returns the elements `begin` … `end` - 1, in memory of
/// their own: a launch may change inputs.
inline Tensors in_pieces(
    std::int64_t elements,
    const std::function<at::Tensor(std::int64_t begin, std::int64_t end)>& make) {
  Tensors pieces;
  const std::int64_t step = elements_of_piece();
  for (std::int64_t begin = 0; begin < elements; begin += step)
    pieces.push_back(make(begin, std::min(begin + step, elements)));
  return pieces;
}

/// What is compared with expected vectors in pieces: those of each rank's result, on rank 0.
inline Tensors pieces_on_rank_0(const Problem&, const Tensors& inputs, const Tensors& results) {
  Tensors pieces;
  for (const at::Tensor& result : results)
    for (const at::Tensor& piece : result.split(elements_of_piece()))
      pieces.push_back(piece.to(inputs.front().device()));
  return pieces;
}

/// In pieces: copies of the vectors, one after the other, on that device.
inline Tensors joined_in_pieces(const Tensors& vectors, at::Device device) {
  std::int64_t elements = 0;
  for (const at::Tensor& vector : vectors) elements += vector.size(0);
  return in_pieces(elements, [&](std::int64_t begin, std::int64_t end) {
    Tensors parts;
    for (const at::Tensor& vector : vectors) {
      const std::int64_t size = vector.size(0);
      const std::int64_t from = std::clamp<std::int64_t>(begin, 0, size);
      const std::int64_t to = std::clamp<std::int64_t>(end, 0, size);
      if (from < to) parts.push_back(vector.slice(0, from, to).to(device));
      begin -= size;
      end -= size;
    }
    return at::cat(parts);
  });
}

/// The pieces of each rank, where all ranks get the same.
inline Tensors for_each_rank(std::size_t ranks, const Tensors& pieces) {
  Tensors all;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    all.insert(all.end(), pieces.begin(), pieces.end());
  return all;
}

}  // namespace plumbline
