#include "core/op/plan_choice.h"

#include <charconv>

namespace plumbline {
namespace {

/// The parameter's text; its default if it is missing.
const std::string& text_of(const Params& params) {
  const auto found = params.find(plan_param().name);
  return std::get<std::string>(found == params.end() ? *plan_param().fallback : found->second);
}

}  // namespace

const ParamSpec& plan_param() {
  static const ParamSpec kPlan{"plan",
                               ParamKind::text,
                               "heuristic",
                               std::nullopt,
                               {"heuristic", "autotune"},
                               "which of cuDNN's plans, or of the custom kernels, runs: the first "
                               "that is offered, the fastest, or the one of an index from 0",
                               std::nullopt,
                               /*takes_index=*/true};
  return kPlan;
}

PlanChoice plan_choice(const Params& params) {
  const std::string& text = text_of(params);
  if (text == "heuristic") return {};
  if (text == "autotune") return {PlanChoice::Kind::autotune, 0};
  PlanChoice choice{PlanChoice::Kind::index, 0};
  std::from_chars(text.data(), text.data() + text.size(), choice.index);
  return choice;
}

std::string unplannable(const std::string& backend, const Params& params) {
  const bool has_plans = backend == "cudnn" || backend == "custom";
  if (has_plans || text_of(params) == std::get<std::string>(*plan_param().fallback)) return "";
  return "plan=" + text_of(params) + " is a choice among the plans of cudnn and custom; " +
         backend + " chooses by itself";
}

}  // namespace plumbline
