#include "suite/sweep/cost_rules.h"

#include "core/error.h"

namespace plumbline {

CostRules::CostRules(const OpSpec& spec, const MakeMemo& memo) {
  const auto add = [&](const std::string& text, const char* what, const char* direction) {
    if (text.empty()) return;
    ExpressionPtr expression = parse_expression(text);
    Memo unasked = memo(names_in(*expression));
    costs_.push_back({std::move(expression), "the cost '" + std::string(what) + "' of " + spec.name,
                      direction, std::move(unasked)});
  };
  add(spec.forward.flops, "flops", "forward");
  add(spec.forward.bytes, "bytes", "forward");
  add(spec.backward.flops, "flops", "backward");
  add(spec.backward.bytes, "bytes", "backward");
}

CostRules::Trouble CostRules::trouble(const std::vector<std::size_t>& position,
                                      const Lookup& look_up) {
  const auto direction = look_up("direction");
  for (Cost& cost : costs_) {
    if (!direction || !same_value(*direction, Value(cost.direction))) continue;
    try {
      cost.memo.ask(position, [&] {
        evaluate(*cost.expression, look_up);
        return true;
      });
    } catch (const Error& error) {
      return {cost.what + ": " + error.what(), cost.memo.axes()};
    }
  }
  return {};
}

}  // namespace plumbline
