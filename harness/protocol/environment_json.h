/// What a worker says of its device, in its hello and in the list of --devices: an object of texts.
#pragma once

#include <nlohmann/json.hpp>

#include "core/run/environment.h"

namespace plumbline {

/// What is known.
nlohmann::ordered_json environment_json(const Environment& environment);

/// Throws a JSON exception for what is no object of texts, Error for a text that an entry cannot
/// be.
Environment environment_of(const nlohmann::ordered_json& json);

}  // namespace plumbline
