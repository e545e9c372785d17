/// The types that a cuDNN graph of a suite names itself: a case of another dtype would measure the
/// same graph under another name.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "core/dtype.h"

namespace plumbline {

class GraphTypes {
 public:
  /// `graph`: checked JSON (declared_parts.h, read_graph).
  explicit GraphTypes(const std::string& graph);

  /// Why no case of that dtype is measured; "" where one is.
  std::string refusal(DType dtype) const;

 private:
  std::optional<std::string> io_type_;  // of the context, where it names one that a dtype has
  bool is_complete_ = true;             // every tensor in memory names its own
  std::set<std::string> types_;
};

}  // namespace plumbline
