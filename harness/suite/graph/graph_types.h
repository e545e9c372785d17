/// The types that a suite's cuDNN graph sets itself. A case with another dtype would measure the
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

  /// Why a case with that dtype is not measured; "" if it is.
  std::string refusal(DType dtype) const;

 private:
  std::optional<std::string> io_type_;  // of the context, if it corresponds to a dtype
  bool is_complete_ = true;             // every tensor in memory has its own type
  std::set<std::string> types_;
};

}  // namespace plumbline
