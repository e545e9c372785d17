/// A case's parameters as implementations read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/dtype.h"
#include "core/run/case.h"

namespace plumbline {

/// The parameters of a case, typed. Asking for a name that the op does not declare is a bug.
class Problem {
 public:
  explicit Problem(const Case& subject) : case_(subject) {}

  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  bool flag(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  DType dtype() const;
  bool is_backward() const { return text("direction") == "backward"; }
  const Case& subject() const { return case_; }

 private:
  const Value& at(std::string_view name) const;
  const Case& case_;
};

}  // namespace plumbline
