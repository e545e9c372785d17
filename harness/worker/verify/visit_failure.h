/// How a visit without samples ends.
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

/// The status and reason that an exception of a visit gives its case.
VisitFailure meaning_of(const std::exception_ptr& error);

}  // namespace plumbline
