#include "core/op/op_spec.h"

#include <algorithm>
#include <cmath>

#include "core/expression/expression.h"
#include "core/op/input_data.h"
#include "core/op/library_settings.h"
#include "core/op/plan_choice.h"
#include "core/op/stream_setup.h"

namespace plumbline {
namespace {

/// Spacing at 1 of the type in which sums are accumulated.
double accumulated(DType dtype) {
  return info(dtype == DType::float64 ? DType::float64 : DType::float32).epsilon;
}

/// Ratio of the largest of millions of rounding errors to their root mean square.
constexpr double kElementFactor = 4;

bool is_float16(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

/// In 8-bit floats the spacing is an eighth or a quarter of the value. Half a spacing is allowed,
/// the error of rounding to nearest, whatever the op.
double factor_for(DType dtype, double factor) {
  return is_float8(dtype) ? std::min(factor, 0.5) : factor;
}

/// Twice as much for 8-bit floats: where few errors average out (the first rows of causal
/// attention), an element can be off by several spacings of its terms.
double element_factor_for(DType dtype) { return (is_float8(dtype) ? 2 : 1) * kElementFactor; }

/// Gradients are computed from rounded forward results: one rounding more.
double roundings_of(const OpSpec& spec, bool is_backward) {
  return spec.roundings + (is_backward ? 1 : 0);
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
        data_param(),
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

Bounds bounds(DType dtype, double reduction_length, double factor, double roundings) {
  const double all = tolerance(dtype, reduction_length, factor);
  if (!is_float16(dtype)) return {all, element_factor_for(dtype) * all};
  const double finer = std::max(factor - roundings, 0.0) * info(dtype).epsilon;
  return {all - finer, kElementFactor * all};
}

Bounds declared_bounds(DType dtype, double reduction_length, double factor, double operations,
                       double input_rounding) {
  const double sums = factor * std::sqrt(reduction_length) * accumulated(dtype);
  if (is_float16(dtype))
    return {operations * info(dtype).epsilon + sums,
            kElementFactor * (2 * operations * info(dtype).epsilon + sums)};
  const double all = tolerance(dtype, reduction_length, factor) + factor * input_rounding;
  return {all, kElementFactor * all};
}

Bounds bounds_of(const OpSpec& spec, const Params& params, DType result) {
  if (evaluate_condition(*parse_expression(spec.exact), params)) return {};
  const DType of_case = dtype_named(std::get<std::string>(params.at("dtype"))).value();
  const bool is_forward = std::get<std::string>(params.at("direction")) == "forward";
  const bool is_finer = is_forward && is_floating(result) &&
                        info(result).epsilon < info(of_case).epsilon &&
                        result != DType::float64;  // float64: converted only for the comparison
  const double length = evaluate_number(spec.reduction_length, params);
  Bounds found = bounds(is_finer ? result : of_case, length, spec.tolerance_factor,
                        roundings_of(spec, !is_forward));
  const double of_inputs = spec.tolerance_factor * input_rounding(library_settings(params));
  found.rel_l2 += of_inputs;
  found.element += kElementFactor * of_inputs;
  return found;
}

double tolerance_of(const OpSpec& spec, const Params& params) {
  const auto dtype = dtype_named(std::get<std::string>(params.at("dtype")));
  return bounds_of(spec, params, dtype.value()).rel_l2;
}

BoundsInWords bounds_in_words(const OpSpec& spec, DType dtype) {
  if (spec.exact == "true" || !is_floating(dtype)) return {"exact", "exact"};
  const std::string factor = shortest_text(factor_for(dtype, spec.tolerance_factor));
  const std::string eps = shortest_text(info(dtype).epsilon);
  const std::string sums =
      "sqrt(" + spec.reduction_length + ") * " + shortest_text(accumulated(dtype));
  const std::string all = factor + " * (" + eps + " + " + sums + ")";
  BoundsInWords words{all, shortest_text(element_factor_for(dtype)) + " * " + all};
  if (is_float16(dtype) && spec.roundings < spec.tolerance_factor) {
    const auto roundings = [&](bool is_backward) {
      return shortest_text(std::min(roundings_of(spec, is_backward), spec.tolerance_factor));
    };
    const std::string times = spec.has_backward ? "(direction == 'backward' ? " + roundings(true) +
                                                      " : " + roundings(false) + ")"
                                                : roundings(false);
    words.rel_l2 = times + " * " + eps + " + " + factor + " * " + sums;
  }
  const std::string tf32 = library_param("tf32").name;
  if (std::ranges::count(spec.params, tf32, &ParamSpec::name) > 0 && dtype == DType::float32) {
    const std::string rounded = shortest_text(input_rounding(LibrarySettings{.tf32 = true}));
    words.rel_l2 += " + (" + tf32 + " ? " + factor + " * " + rounded + " : 0)";
    words.element += " + (" + tf32 + " ? " + shortest_text(kElementFactor) + " * " + factor +
                     " * " + rounded + " : 0)";
  }
  if (spec.exact != "false")
    for (std::string* text : {&words.rel_l2, &words.element})
      *text = spec.exact + " ? 0 : " + *text;
  return words;
}

const CatalogueEntry* find_op(const Catalogue& catalogue, std::string_view name) {
  const auto found = std::ranges::find_if(
      catalogue, [name](const CatalogueEntry& entry) { return entry.spec.name == name; });
  return found == catalogue.end() ? nullptr : &*found;
}

}  // namespace plumbline
