/// The JSON Schema of suite files, generated from the catalogue and the tables of keys and options.
///
/// Editors complete and check by it (suites/suite.schema.json). The loader does not use it: its own
/// checks say more; tests hold the two together.
#pragma once

#include <string>

#include "core/op/op_spec.h"

namespace plumbline {

/// JSON Schema, draft 7, indented, ending in a newline.
std::string suite_schema_json(const Catalogue& catalogue);

}  // namespace plumbline
