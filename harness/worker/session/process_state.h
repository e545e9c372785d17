/// What a case may change in the worker's process and leave behind for later cases: settings of the
/// GPU's context and of LibTorch, the environment, signal handlers, floating-point modes.
///
/// Nobody can restore all of these. A worker whose state differs after a case is replaced
/// (MeasureAnswer::left_behind). Only signal handlers are restored.
#pragma once

#include <signal.h>

#include <map>
#include <string>
#include <string_view>

namespace plumbline {

/// By name, as text. Reading it takes less than 100 us.
using ProcessState = std::map<std::string, std::string>;

/// Names of entries through which a case may compute its results only when they are read: handlers
/// of SIGSEGV and SIGBUS, and callbacks on LibTorch's functions.
inline constexpr std::string_view kMemoryFaultHandlers[] = {"handler of SIGSEGV",
                                                            "handler of SIGBUS"},
                                  kFunctionCallbacks = "callbacks on LibTorch's functions";

/// `stream`: the cudaStream_t of the cases; null on a CPU.
ProcessState process_state(void* stream);

/// "cudaLimitPersistingL2CacheSize: 0 -> 33554432; …"; "" if nothing changed.
std::string changes(const ProcessState& before, const ProcessState& after);

/// The process's signal handlers at construction.
class SignalHandlers {
 public:
  SignalHandlers();

  /// Compilers in a case (LLVM's) set some handlers when they first compile. Handlers of memory
  /// faults are not restored: results may still depend on them.
  void put_back() const;

 private:
  std::map<int, struct sigaction> saved_;  // by signal
};

}  // namespace plumbline
