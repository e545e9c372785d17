/// A YAML tree as JSON, for what is JSON itself: graphs of cuDNN, documents held against a schema.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "suite/yaml/yaml.h"

namespace plumbline {

/// Values as YAML's core schema reads them; places in the text are lost.
nlohmann::json to_json(const YamlNode& node);

}  // namespace plumbline
