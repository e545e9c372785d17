/// Which parameter counts the batch of a case whose results must not depend on its size.
///
/// The suite's key `batch_invariant` names it; the worker checks it
/// (worker/verify/batch_invariance.h). It is sent as a parameter. No id has it, because it changes
/// only what is checked.
#pragma once

#include <string>

#include "core/value.h"

namespace plumbline {

inline constexpr const char* kBatchParam = "batch_invariant";

/// "": the suite declares nothing.
inline std::string batch_param(const Params& params) {
  const auto found = params.find(kBatchParam);
  return found == params.end() ? "" : std::get<std::string>(found->second);
}

}  // namespace plumbline
