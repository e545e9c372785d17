/// libcupti, opened at run time: the copy that the program has loaded, else one that is found.
///
/// Two copies in one process do not work, so a loaded one comes first.
#pragma once

#include <cupti.h>

#include <string>

namespace plumbline::attach {

struct Cupti {
  decltype(&cuptiGetVersion) version = nullptr;
  decltype(&cuptiGetResultString) result_string = nullptr;
  decltype(&cuptiGetTimestamp) timestamp = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  int (*nvtx)(void*) = nullptr;  // InitializeInjectionNvtx2; null in a libcupti without it

  /// "", or why it is not usable, in words.
  std::string load();
  /// "CALL: what CUPTI says".
  std::string words(const char* call, CUptiResult code) const;
};

}  // namespace plumbline::attach
