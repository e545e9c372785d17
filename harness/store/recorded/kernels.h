/// The kernels, copies and memsets of one launch, as stored in results.csv (store/README.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/unknown.h"

namespace plumbline {

/// One kernel of a launch, or one kind of copy or memset ("memcpy HtoD"), which has bytes and no
/// grid. Numbers that are not recorded are kUnknown, extents then {0, 0, 0}.
struct KernelRecord {
  std::string name;
  std::array<std::int64_t, 3> grid{}, block{};
  double registers = kUnknown;                                 // per thread
  double local_bytes = kUnknown;                               // per thread: spills and arrays
  double shared_static = kUnknown, shared_dynamic = kUnknown;  // bytes per block
  double occupancy = kUnknown;                                 // theoretical, 0 to 1
  double bytes = kUnknown;                                     // of one call
  double calls = kUnknown;                                     // in one launch
  double time_s = kUnknown;                                    // of all calls
  std::string code{};                                          // hash of its machine code
};

/// The records in the order of the text; none for an empty text. A text that is not JSON (older
/// files store names) is one record with that name.
std::vector<KernelRecord> kernels_of(std::string_view text);

}  // namespace plumbline
