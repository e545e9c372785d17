/// The JSON Schema of the protocol, made from the tables of its fields, and a check by it.
///
/// docs/reference/protocol.schema.json is a copy of it. Knows what a message looks like; nothing of
/// when it is said.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace plumbline {

/// JSON Schema, draft 7, indented, ending in a newline: of any line that either side says. Its
/// definitions are the messages and what they hold, and what `--devices` and `--schemas` print.
std::string protocol_schema_json();

/// The first thing in `value` that does not fit a definition of the schema, in words: where it is,
/// what was found, what was expected. "" where all fits.
std::string schema_mistake(const nlohmann::ordered_json& value, std::string_view definition);

}  // namespace plumbline
