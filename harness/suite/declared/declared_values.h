/// What the expressions of a declaration come to in each case, as far as that shows without a
/// device: a division by zero, a negative size, an empty grid.
///
/// declaration.h has parsed them and checked their names. What a tensor holds is the worker's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/op/declaration.h"
#include "core/value.h"
#include "suite/declared/operator_schemas.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// One expression of a suite that must have a value that fits in every case.
struct ValueCheck {
  std::vector<std::string> names;  // parameters on whose values alone the answer depends
  /// Throws Error with the place in the file where there is no such value for these parameters.
  std::function<void(const Params& params)> check;
};

/// Of all expressions that the benchmark declares, in the order in which they are told. Valid as
/// long as the arguments and the benchmark's file.
std::vector<ValueCheck> value_checks(const YamlNode& benchmark, const Declaration& declaration,
                                     const OperatorSchemas& schemas);

}  // namespace plumbline
