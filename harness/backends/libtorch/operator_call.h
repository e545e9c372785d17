/// Calls any operator of LibTorch's dispatcher by its schema name, boxed.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <map>
#include <string>
#include <vector>

namespace plumbline {

using Stack = std::vector<at::IValue>;

/// The operator `ns::name` or `ns::name.overload`. Without an overload in the name: the overload
/// named "" if it exists, else the first overload that takes the arguments. Throws Error with the
/// existing overloads, or with what the arguments lack.
struct OperatorCall {
  c10::OperatorHandle handle;
  Stack arguments;  // complete and in the order of the schema

  /// Calls with copies of the arguments; returns the results.
  Stack operator()() const;
};

OperatorCall bind_operator(const std::string& name, const Stack& positional,
                           const std::map<std::string, at::IValue>& named);

/// All tensors among the values, including those in lists, in order.
std::vector<at::Tensor> tensors_in(const Stack& values);

/// The values with every tensor replaced by `change(tensor)`.
Stack map_tensors(const Stack& values, const std::function<at::Tensor(const at::Tensor&)>& change);

}  // namespace plumbline
