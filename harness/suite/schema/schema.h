/// The JSON Schema of suite files, made from the catalogue and the tables of keys and options.
///
/// Editors use it to complete and check (suites/suite.schema.json). The loader does not: its own
/// messages are more precise. Tests compare the two.
#pragma once

#include <string>

#include "core/op/op_spec.h"

namespace plumbline {

/// JSON Schema, draft 7, indented, ending in a newline.
std::string suite_schema_json(const Catalogue& catalogue);

}  // namespace plumbline
