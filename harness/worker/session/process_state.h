/// What a case may set in the worker's process and leave behind for the cases after it: settings of
/// the GPU's context and of LibTorch, the environment, signal handlers, floating-point modes.
///
/// Restoring them all would mean to know how; a worker that has other ones after a case than before
/// it is replaced (MeasureAnswer::left_behind). Signal handlers alone are put back.
#pragma once

#include <signal.h>

#include <map>
#include <string>
#include <string_view>

namespace plumbline {

/// By name, as texts. Takes less than 100 us.
using ProcessState = std::map<std::string, std::string>;

/// Names of entries by which a case may compute its results when somebody reads them: who handles
/// SIGSEGV and SIGBUS, and who is called back by LibTorch's functions.
inline constexpr std::string_view kMemoryFaultHandlers[] = {"handler of SIGSEGV",
                                                            "handler of SIGBUS"},
                                  kFunctionCallbacks = "callbacks on LibTorch's functions";

/// `stream`: the cudaStream_t that cases are launched on; null on a CPU.
ProcessState process_state(void* stream);

/// "cudaLimitPersistingL2CacheSize: 0 -> 33554432; …", "" where nothing changed.
std::string changes(const ProcessState& before, const ProcessState& after);

/// The process's signal handlers when it was made.
class SignalHandlers {
 public:
  SignalHandlers();

  /// Compilers within a case (LLVM's) set some when they first compile. Those of memory faults are
  /// left alone: they may hold results that are still to be computed.
  void put_back() const;

 private:
  std::map<int, struct sigaction> saved_;  // by signal
};

}  // namespace plumbline
