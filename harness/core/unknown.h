/// An unknown number: NaN in memory, null in JSON, an empty field in CSV.
#pragma once

#include <limits>

namespace plumbline {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace plumbline
