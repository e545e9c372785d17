#include "core/op/op_limits.h"

#include <algorithm>

#include "core/expression/expression.h"

namespace plumbline {
namespace {

const std::vector<Limit>& limits_of_every_op() {
  static const std::vector<Limit> kLimits{
      {"custom", "dtype == 'float32' or dtype == 'float16' or dtype == 'bfloat16'",
       "custom kernels are for float32, float16 and bfloat16"},
      {"cudnn", "device.kind == 'cuda'",
       "cuDNN computes on NVIDIA GPUs only; --device cuda has one"},
      {"custom", "device.kind == 'cuda'",
       "custom kernels run on NVIDIA GPUs only; --device cuda has one"},
  };
  return kLimits;
}

void append(const std::vector<Limit>& limits, std::string_view backend, std::vector<Limit>& all) {
  std::ranges::copy_if(limits, std::back_inserter(all),
                       [&](const Limit& limit) { return limit.backend == backend; });
}

std::vector<std::string> names_in(const Limit& limit) {
  return plumbline::names_in(*parse_expression(limit.condition));
}

}  // namespace

std::vector<Limit> limits_of(const OpSpec& spec, std::string_view backend) {
  std::vector<Limit> all;
  for (const auto* limits : {&spec.limits, &limits_of_every_op()}) append(*limits, backend, all);
  return all;
}

Limit row_limit(std::int64_t most, const std::string& unless) {
  const std::string length = std::to_string(most);
  return {"custom", "(" + unless + ") or cols <= " + length,
          "these kernels hold rows of up to " + length + " elements in registers"};
}

Limit no_plans(const std::string& function) {
  return {"cudnn", "plan == 'heuristic'",
          "cuDNN's " + function + " is no graph; it has no plans to choose from"};
}

Limit no_float64(const std::string& unless) {
  return {"cudnn", "dtype != 'float64' or " + unless, "cuDNN has no plan for this in float64"};
}

Limit no_float8() {
  return {"libtorch", "dtype != 'float8_e4m3fn'", "LibTorch does not compute this in 8-bit floats"};
}

bool asks_device(const Limit& limit) {
  return std::ranges::count(names_in(limit), kDeviceKind) > 0;
}

std::string beyond_limits(const OpSpec& spec, std::string_view backend, const Params& params,
                          const std::string& device_kind) {
  const Lookup look_up = [&](std::string_view name) -> std::optional<Value> {
    if (name == kDeviceKind) return device_kind;
    if (const auto found = params.find(name); found != params.end()) return found->second;
    for (const auto* known : {&spec.params, &common_params()})
      if (const auto param = std::ranges::find(*known, name, &ParamSpec::name);
          param != known->end())
        return param->fallback;
    return std::nullopt;
  };
  for (const Limit& limit : limits_of(spec, backend))
    if (!std::get<bool>(evaluate(*parse_expression(limit.condition), look_up))) return limit.reason;
  return "";
}

std::vector<std::string> directions_of(const OpSpec& spec) {
  if (spec.has_backward) return {"forward", "backward"};
  return {"forward"};
}

std::vector<ParamSpec> params_of(const OpSpec& spec) {
  std::vector<ParamSpec> params = spec.params;
  for (ParamSpec param : common_params()) {
    if (param.name == "direction") param.allowed = directions_of(spec);
    if (param.name == "dtype")
      for (const DType dtype : spec.dtypes) param.allowed.emplace_back(info(dtype).name);
    params.push_back(std::move(param));
  }
  return params;
}

std::vector<DType> dtypes_of(const OpSpec& spec, std::string_view backend,
                             const std::string& direction) {
  std::vector<DType> dtypes;
  for (const DType dtype : spec.dtypes) {
    const Params params{{"dtype", std::string(info(dtype).name)}, {"direction", direction}};
    const bool is_taken = std::ranges::all_of(limits_of(spec, backend), [&](const Limit& limit) {
      const bool is_decided = std::ranges::all_of(
          names_in(limit), [&](const std::string& name) { return params.contains(name); });
      return !is_decided || evaluate_condition(*parse_expression(limit.condition), params);
    });
    if (is_taken) dtypes.push_back(dtype);
  }
  return dtypes;
}

}  // namespace plumbline
