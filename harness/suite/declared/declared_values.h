/// Checks the values of a declaration's expressions in each case, as far as possible without a
/// device: a division by zero, a negative size, an empty grid.
///
/// declaration.h has parsed them and checked their names. Only the worker knows tensor contents.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/op/declaration.h"
#include "core/value.h"
#include "suite/declared/operator_schemas.h"
#include "suite/inputs/input_files.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// An expression that must have a valid value in every case.
struct ValueCheck {
  std::vector<std::string> names;  // the parameters that the value depends on
  /// Throws Error with the place in the file if these parameters give no valid value.
  std::function<void(const Params& params)> check;
};

/// The checks of all expressions in the benchmark, in the order of their messages. They refer to
/// the arguments, `files` and the benchmark's file, which must outlive them.
std::vector<ValueCheck> value_checks(const YamlNode& benchmark, const Declaration& declaration,
                                     const OperatorSchemas& schemas, InputFiles& files);

}  // namespace plumbline
