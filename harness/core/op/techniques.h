/// Techniques: parameters of `op: module` that change how a network computes, not what it learns.
///
/// Knows no library: harness/backends/python/techniques.py applies them.
#pragma once

#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/op/op_spec.h"

namespace plumbline {

/// All techniques, and `step`. At their defaults, LibTorch computes as a user's plain code.
const std::vector<ParamSpec>& technique_params();

/// Whether the case is a training step; otherwise it is inference.
bool is_training(const Params& params);

/// Whether products of float32 may round their inputs to TF32.
bool uses_tf32(const Params& params);

/// The type in which most products of the case are computed: `precision`, or `dtype` if it is
/// narrower.
DType computing_dtype(const Params& params);

}  // namespace plumbline
