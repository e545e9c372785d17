/// A case as requests hold it: what it is, and what its suite declares of it.
#pragma once

#include <nlohmann/json.hpp>

#include "core/run/case.h"

namespace plumbline {

nlohmann::ordered_json case_json(const Case& c);

/// Throws a JSON exception or Error for what is no case.
Case case_of(const nlohmann::ordered_json& json);

}  // namespace plumbline
