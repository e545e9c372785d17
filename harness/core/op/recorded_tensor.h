/// A tensor in a file from which an argument takes its values: `file('x.safetensors', 'x')[n]`.
///
/// The suite's reader finds it in the file and hashes it, the worker reads its bytes. The hash is
/// part of the problem's revision. Opens no file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

struct RecordedTensor {
  std::string file, tensor;  // as the expression names them; tensor: "" in files that hold one
  std::string path;          // absolute
  std::int64_t offset = 0;   // of its first byte in the file
  std::string dtype;
  /// In the file, row by row. Samples lie along a first dimension that the expression does not
  /// name.
  std::vector<std::int64_t> shape;
  std::string hash;  // TensorHash of its bytes
  bool operator==(const RecordedTensor&) const = default;
};

/// Samples of a tensor of that declared shape: its first size where the file has one dimension
/// more, 1 where it has the same. 0: the shapes do not fit.
std::int64_t samples_in(const RecordedTensor& recorded, const std::vector<std::int64_t>& declared);

/// Bytes of the whole tensor.
std::int64_t bytes_in(const RecordedTensor& recorded);

}  // namespace plumbline
