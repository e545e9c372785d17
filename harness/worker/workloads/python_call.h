/// A call that Python holds, and values on their way to and from Python.
#pragma once

#include <ATen/core/ivalue.h>

#include <nlohmann/json.hpp>

#include "backends/implementation.h"
#include "backends/python/python.h"

namespace plumbline {

/// JSON from which Python makes an argument: a number, text or list unchanged, a tensor as its
/// address. Throws Error for another value.
nlohmann::json json_for_python(const at::IValue& value);

Tensors tensors_at(const nlohmann::json& addresses);

/// A call that Python holds, bound to its arguments.
class PythonCall {
 public:
  explicit PythonCall(int number) : number_(number) {}
  ~PythonCall() { drop_in_python(number_); }
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;

  void launch() const { launch_in_python(number_); }
  void clear() const { clear_in_python(number_); }

  /// Results of the last launch. Those that Python's code keeps are held once more here, so that
  /// they do not count as held by the launch alone.
  Tensors results();

 private:
  int number_;
  Tensors kept_;
};

}  // namespace plumbline
