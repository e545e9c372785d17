/// A worker's description of its device, in its hello and in the list of --devices: an object of
/// texts.
#pragma once

#include <nlohmann/json.hpp>

#include "core/run/environment.h"

namespace plumbline {

/// Only known entries.
nlohmann::ordered_json environment_json(const Environment& environment);

/// Throws a JSON exception if it is not an object of texts, Error for an invalid text.
Environment environment_of(const nlohmann::ordered_json& json);

}  // namespace plumbline
