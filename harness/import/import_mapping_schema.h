/// The JSON Schema of mapping files, made from their tables of keys, units and environment.
///
/// Editors use it to complete and check (mappings/mapping.schema.json). The reader does not: its
/// own messages are more precise. Tests compare the two.
#pragma once

#include <string>

namespace plumbline {

/// JSON Schema, draft 7, indented, ending in a newline.
std::string import_mapping_schema_json();

}  // namespace plumbline
