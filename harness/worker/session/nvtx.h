/// Ranges of the domain `plumbline`, which NVIDIA's tools show and filter by. Without a tool, a
/// range costs two calls through a null pointer.
///
/// Knows no case: the caller gives the text.
#pragma once

#include <string>

namespace plumbline {

/// From construction to destruction, on the constructing thread.
class NvtxRange {
 public:
  explicit NvtxRange(const std::string& text);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

/// The range around the launches of a case that profilers capture; tools filter by this text.
inline constexpr const char* kLaunchesRange = "launches";

}  // namespace plumbline
