/// Converts a YAML tree to JSON, for cuDNN graphs and for checks against a schema.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "suite/yaml/yaml.h"

namespace plumbline {

/// Values as in YAML's core schema; places in the text are lost.
nlohmann::json to_json(const YamlNode& node);

}  // namespace plumbline
