/// How a visit ends that has no samples.
#pragma once

#include <exception>
#include <string>

#include "core/status.h"

namespace plumbline {

/// Thrown to end a visit with a status.
struct VisitFailure {
  Status status;
  std::string reason;
};

/// What an exception of a visit means for its case.
VisitFailure meaning_of(const std::exception_ptr& error);

}  // namespace plumbline
