/// Inputs that several ops share: one tensor of the case's type.
#pragma once

#include "backends/implementation.h"

namespace plumbline {

/// A vector of `elements`.
inline std::vector<InputSpec> vector_x(const Problem& p) {
  return {{.name = "x", .shape = {p.integer("elements")}, .dtype = p.dtype()}};
}

/// A matrix of `rows` x `cols`.
inline std::vector<InputSpec> matrix_x(const Problem& p) {
  return {{.name = "x", .shape = {p.integer("rows"), p.integer("cols")}, .dtype = p.dtype()}};
}

}  // namespace plumbline
