/// That a result, or a step to it, is no double although the numbers are: 1e308 + 1e308.
///
/// Knows no list: who has the numbers that were given says which of them it is (table.h).
#pragma once

#include <string>

#include "core/error.h"

namespace plumbline {

class BeyondDouble : public Error {
 public:
  explicit BeyondDouble(const std::string& message) : Error(message) {}
};

}  // namespace plumbline
