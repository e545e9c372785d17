/// Whether times that were measured elsewhere can be compared with times of this machine.
///
/// Compares environments; asks no device. Pure.
#pragma once

#include <string>

#include "analysis/compare/comparison.h"
#include "core/run/environment.h"

namespace plumbline {

/// Why devices differ too much, "" if they do not: another kind, class or size.
std::string device_difference(const Environment& recorded, const Environment& here);

/// What a suite brings itself to compute its cases.
enum class OwnCode { none, compiled, python };

/// Which libraries differ that compute this case, "" if none: LibTorch for its operators, cuDNN for
/// its graphs, … What is unknown is no difference.
std::string library_difference(const Finding& claim, OwnCode own, const Environment& recorded,
                               const Environment& here);

}  // namespace plumbline
