/// Cases of a sweep whose cost cannot be counted: sizes whose product is no integer.
///
/// Knows an op's costs and positions on axes; where a case is in its file is the expander's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/expression/expression.h"
#include "core/op/op_spec.h"
#include "suite/sweep/memo.h"

namespace plumbline {

class CostRules {
 public:
  using MakeMemo = std::function<Memo(const std::vector<std::string>& names)>;

  CostRules() = default;
  CostRules(const OpSpec& spec, const MakeMemo& memo);

  struct Trouble {
    std::string what;               // "" = none
    std::vector<std::size_t> axes;  // whose values bring it about
  };
  Trouble trouble(const std::vector<std::size_t>& position, const Lookup& look_up);

 private:
  struct Cost {
    ExpressionPtr expression;
    std::string what;
    std::string direction;
    Memo memo;
  };
  std::vector<Cost> costs_;
};

}  // namespace plumbline
