/// Finds cases with a cost that cannot be computed, such as sizes with a product beyond 64 bits.
///
/// Knows an op's costs and positions on axes; the expander finds the place in the file.
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
    std::vector<std::size_t> axes;  // the axes with the values that cause it
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
