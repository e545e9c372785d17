/// The Python that this worker runs in: calls functions of plumbline-worker.py, which has loaded
/// this library into its process.
///
/// Tensors are passed as addresses of their TensorImpl. So this code does not need Python's own
/// interface, and one build serves every Python 3. All texts are JSON in UTF-8.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "backends/implementation.h"

namespace plumbline {

/// The functions that Python gives before it calls plumbline_worker_main(); the same as in
/// plumbline-worker.py.
struct PythonFunctions {
  /// Answers a request. The text is valid until the next call.
  const char* (*ask)(const char* request);
  /// Launches the call with that number. Returns 0, or 1 if it failed (ask for "failure").
  int (*launch)(int call);
  /// Releases what the last launch returned.
  void (*clear)(int call);
  /// Releases the call.
  void (*drop)(int call);
  /// Frees a function that was opened and what belongs to it.
  void (*close)(int function);
};

/// The answer to the request `what` with these members. Throws Error with Python's message;
/// Unsupported if a module is missing or there is no Python; WrongResult if Python compared and
/// found an error; c10::OutOfMemoryError if memory was exhausted.
nlohmann::json ask_python(const char* what, nlohmann::json request);

/// Throws as ask_python() if the launch fails.
void launch_in_python(int call);
void clear_in_python(int call);
void drop_in_python(int call) noexcept;
void close_in_python(int function) noexcept;

/// The address from which Python makes a tensor. The tensor must live until Python has taken it.
std::int64_t address_of(const at::Tensor& tensor);
/// The tensor at an address that Python holds.
at::Tensor tensor_at(std::int64_t address);

}  // namespace plumbline
