/// The Python that this worker runs in: functions of plumbline-worker.py, which loaded this library
/// into its process.
///
/// Tensors cross as addresses of their TensorImpl, so nothing here knows Python's own interface,
/// and one build serves every Python 3. Each text is JSON in UTF-8.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "backends/implementation.h"

namespace plumbline {

/// What Python gives before it calls plumbline_worker_main(); as in plumbline-worker.py.
struct PythonFunctions {
  /// Answers a request. The text is valid until the next call.
  const char* (*ask)(const char* request);
  /// Launches the call of that number: 0, or 1 where it failed (ask for "failure").
  int (*launch)(int call);
  /// Lets go of what the last launch returned.
  void (*clear)(int call);
  /// Lets go of the call.
  void (*drop)(int call);
};

/// The answer to the request `what` with these members. Throws Error with Python's words,
/// Unsupported where a module is missing or there is no Python, c10::OutOfMemoryError where memory
/// was.
nlohmann::json ask_python(const char* what, nlohmann::json request);

/// Throws as ask_python() where it fails.
void launch_in_python(int call);
void clear_in_python(int call);
void drop_in_python(int call) noexcept;

/// The address that Python makes a tensor of. The tensor must live until Python has taken it.
std::int64_t address_of(const at::Tensor& tensor);
/// The tensor at an address that Python holds.
at::Tensor tensor_at(std::int64_t address);

}  // namespace plumbline
