/// The JSON Schema of mapping files, generated from their tables of keys, units and environment.
///
/// Editors complete and check by it (mappings/mapping.schema.json). The reader does not use it: its
/// own checks say more; tests hold the two together.
#pragma once

#include <string>

namespace plumbline {

/// JSON Schema, draft 7, indented, ending in a newline.
std::string import_mapping_schema_json();

}  // namespace plumbline
