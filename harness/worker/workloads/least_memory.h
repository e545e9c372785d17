/// A lower bound of the memory that a case needs, known before anything is allocated.
///
/// Counts only tensors that certainly live together, so that no case is refused that would fit.
/// Temporaries of launches and references, guard bands and alignment are not counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace plumbline {

/// Bytes of one instance on the device, while its results are compared with the expected ones. What
/// is not known in advance is 0.
struct LeastMemory {
  double inputs = 0;
  double results = 0;   // of a launch, where the suite declares their shapes
  double expected = 0;  // in float64
  double copies = 0;    // of the inputs, from which the expected results are computed
};

double bytes_of(const std::vector<std::int64_t>& shape, DType dtype);

/// Why so many instances of the case do not fit into `room_bytes` of the device's memory; "": they
/// may fit. One reference is computed at a time; `has_copies`: by this visit.
std::string lack_of_room(const LeastMemory& one, std::size_t instances, bool has_copies,
                         double room_bytes);

}  // namespace plumbline
