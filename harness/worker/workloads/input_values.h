/// The values of a case's inputs where its parameter `data` chooses them (core/op/input_data.h).
///
/// Knows distributions, no tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/op/input_data.h"
#include "device/buffer.h"

namespace plumbline {

/// The distribution of an input's elements for that `data`, in the declared size: numbers declared
/// in [-s, s], or normal with the standard deviation s, are multiplied by s. Nothing where values
/// are not free: integers, and numbers that are not symmetric around 0 (variances, scales,
/// probabilities). `channels`: elements of the innermost dimension in memory.
std::optional<Distribution> chosen_values(InputData data, const Distribution& declared, DType dtype,
                                          std::int64_t channels);

/// Why a case without such inputs cannot run with other data.
inline constexpr std::string_view kNoFreeInputs =
    "no floating-point input of this case has values that may be chosen; leave `data` out";

/// The innermost dimension of a contiguous tensor, or of one in the order NHWC; 1 for a scalar.
std::int64_t channels_of(const std::vector<std::int64_t>& shape, bool is_channels_last);

}  // namespace plumbline
