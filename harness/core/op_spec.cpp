#include "core/op_spec.h"

#include <algorithm>
#include <cmath>

#include "core/expression.h"
#include "core/library_settings.h"
#include "core/plan_choice.h"
#include "core/stream_setup.h"

namespace plumbline {
namespace {

/// Spacing at 1 of the type in which sums are kept.
double accumulated(DType dtype) {
  return info(dtype == DType::float64 ? DType::float64 : DType::float32).epsilon;
}

/// Of 8 bits a spacing is an eighth of the value, or a quarter: half of one is allowed, as the
/// nearest number is away, whatever the op.
double factor_for(DType dtype, double factor) {
  return is_float8(dtype) ? std::min(factor, 0.5) : factor;
}

}  // namespace

const std::vector<ParamSpec>& common_params() {
  static const std::vector<ParamSpec> kCommonParams = [] {
    std::vector<ParamSpec> params{
        {"dtype", ParamKind::text, std::nullopt, std::nullopt, {}, "element type of the tensors"},
        {"direction",
         ParamKind::text,
         "forward",
         std::nullopt,
         {"forward", "backward"},
         "forward, or backward: the gradients of all floating-point inputs"},
        plan_param(),
    };
    params.insert(params.end(), stream_params().begin(), stream_params().end());
    return params;
  }();
  return kCommonParams;
}

bool is_problem_param(std::string_view name) {
  return !name.starts_with("stream.") && !name.starts_with("library.") && name != plan_param().name;
}

double tolerance(DType dtype, double reduction_length, double factor) {
  return factor_for(dtype, factor) *
         (info(dtype).epsilon + std::sqrt(reduction_length) * accumulated(dtype));
}

double tolerance_of(const OpSpec& spec, const Params& params) {
  const auto dtype = dtype_named(std::get<std::string>(params.at("dtype")));
  const double length = evaluate_number(spec.reduction_length, params);
  return tolerance(dtype.value(), length, spec.tolerance_factor) +
         spec.tolerance_factor * input_rounding(library_settings(params));
}

std::string tolerance_expression(const OpSpec& spec, DType dtype) {
  const std::string factor = shortest_text(factor_for(dtype, spec.tolerance_factor)) + " * ";
  std::string text = factor + "(" + shortest_text(info(dtype).epsilon) + " + sqrt(" +
                     spec.reduction_length + ") * " + shortest_text(accumulated(dtype)) + ")";
  const std::string tf32 = library_param("tf32").name;
  if (std::ranges::count(spec.params, tf32, &ParamSpec::name) > 0 && dtype == DType::float32)
    text += " + (" + tf32 + " ? " + factor +
            shortest_text(input_rounding(LibrarySettings{.tf32 = true})) + " : 0)";
  return text;
}

const CatalogueEntry* find_op(const Catalogue& catalogue, std::string_view name) {
  const auto found = std::ranges::find_if(
      catalogue, [name](const CatalogueEntry& entry) { return entry.spec.name == name; });
  return found == catalogue.end() ? nullptr : &*found;
}

}  // namespace plumbline
