#include "suite/limit_rules.h"

#include "core/op/op_limits.h"

namespace plumbline {

LimitRules::LimitRules(const OpSpec& spec, const std::vector<std::string>& backends,
                       const MakeMemo& memo) {
  for (const std::string& backend : backends) {
    std::vector<Rule>& rules = rules_.emplace_back();
    for (const Limit& limit : limits_of(spec, backend)) {
      ExpressionPtr condition = parse_expression(limit.condition);
      const Memo unasked = memo(names_in(*condition));
      rules.push_back({std::move(condition), limit.reason, unasked, unasked});
    }
  }
}

std::string LimitRules::refusal(std::size_t backend, const std::vector<std::size_t>& position,
                                const Lookup& look_up, std::size_t index) {
  if (backend >= rules_.size()) return "";
  const auto reason_on = [&](const std::string& kind, Memo Rule::*memo) -> std::string {
    const auto with_device = [&](std::string_view name) {
      return name == kDeviceKind ? std::optional<Value>(kind) : look_up(name);
    };
    for (Rule& rule : rules_[backend])
      if (!(rule.*memo).ask(position, [&] {
            return std::get<bool>(evaluate(*rule.condition, with_device));
          }))
        return rule.reason;
    return "";
  };
  const std::string on_cpu = reason_on("cpu", &Rule::on_cpu);
  std::string on_cuda = reason_on("cuda", &Rule::on_cuda);
  if (!on_cpu.empty() && !on_cuda.empty()) return on_cuda;
  if (!on_cpu.empty()) note("cpu", on_cpu, index);
  if (!on_cuda.empty()) note("cuda", on_cuda, index);
  return "";
}

void LimitRules::note(const std::string& device_kind, const std::string& reason,
                      std::size_t index) {
  kept_[{device_kind, reason}].push_back(index);
}

void LimitRules::move_to(std::vector<DeviceRule>& rules) {
  for (auto& [key, cases] : kept_) {
    const auto& [kind, reason] = key;
    Condition is_that_kind{{{std::string(kDeviceKind), {{Relation::equal, kind}}}}, nullptr, kind};
    rules.push_back({std::move(is_that_kind), true, reason, std::move(cases), true});
  }
  kept_.clear();
}

}  // namespace plumbline
