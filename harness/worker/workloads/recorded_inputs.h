/// Inputs whose values come from a file: `file('x.safetensors', 'x')[n]`.
///
/// The suite's reader has found their places and hashes (core/op/recorded_tensor.h). A file with
/// several recordings gives one of them, chosen by the seed and the same for all tensors of a case.
/// `shuffle` puts the slices of a dimension in another order for each seed; tensors with as many
/// slices have the same order.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/expression/generated_tensor.h"
#include "core/op/recorded_tensor.h"

namespace plumbline {

class RecordedInputs {
 public:
  /// `recorded` must outlive it. Files are opened when they are needed.
  explicit RecordedInputs(const std::vector<RecordedTensor>& recorded) : recorded_(recorded) {}
  RecordedInputs(const RecordedInputs&) = delete;
  RecordedInputs& operator=(const RecordedInputs&) = delete;
  ~RecordedInputs();

  /// Writes the values of that seed into a contiguous tensor of the declared shape, on any device.
  /// Throws Error where the file has gone or changed since the suite was read.
  void fill(const at::Tensor& tensor, const GeneratedTensor& wanted, std::uint64_t seed);

  /// The recording of that seed: equal for seeds with the same values.
  std::uint64_t recording(std::uint64_t seed) const;

 private:
  struct Opened {
    const RecordedTensor* tensor;
    int descriptor;
    std::int64_t recordings;
  };
  const Opened& opened(const GeneratedTensor& wanted);

  const std::vector<RecordedTensor>& recorded_;
  std::map<std::pair<std::string, std::string>, Opened> opened_;  // by file and tensor
};

}  // namespace plumbline
