/// The JSON Schema of the protocol, made from its field tables, and a check against it.
///
/// docs/reference/protocol.schema.json is a copy. Knows the form of messages, not their order.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace plumbline {

/// JSON Schema, draft 7, indented, ending in a newline, for any line of either side. Its
/// definitions are the messages and their parts, and the output of `--devices` and `--schemas`.
std::string protocol_schema_json();

/// The first mismatch between `value` and a definition of the schema, in words: where it is, what
/// was found, what was expected. "" if all matches.
std::string schema_mistake(const nlohmann::ordered_json& value, std::string_view definition);

}  // namespace plumbline
