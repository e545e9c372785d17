/// Expressions whose values are tensors: `randn[rows, cols]`, `aten::exp(x)`, `[cols]`, `2 * k`.
///
/// core/expression/expression.h has the grammar; this file evaluates it with LibTorch:
///   generator[shape]       a new input (core/expression/generated_tensor.h); each takes
///                          dtype="…", else floating ones have the case's dtype
///   ns::operator(…)        any operator of the dispatcher; keyword arguments allowed;
///                          ns::operator.overload(…) names an overload; of several results the
///                          first counts
///   [a, b], none, true     lists, no value, booleans; the rest is arithmetic over the parameters
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <map>
#include <string>

#include "core/expression/expression.h"
#include "core/expression/generated_tensor.h"
#include "core/run/case.h"
#include "device/device.h"

namespace plumbline {

/// Makes the input tensor of a generator: shape, element type, distribution.
using MakeTensor = std::function<at::Tensor(const std::vector<std::int64_t>& shape, DType dtype,
                                            const Distribution& distribution)>;
/// Makes the input tensor of `file(…)[shape]`.
using ReadTensor = std::function<at::Tensor(const GeneratedTensor& recorded)>;

struct TensorScope {
  const Params& params;
  MakeTensor make;                          // null where generators are not allowed
  std::map<std::string, at::IValue> names;  // arguments that a reference may use by name
  ReadTensor read{};                        // null where files are not allowed
};

/// Value of the expression. Throws Error with the column of the mistake.
at::IValue evaluate_tensor(const Expression& expression, const TensorScope& scope);

}  // namespace plumbline
