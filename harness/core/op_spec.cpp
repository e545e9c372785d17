#include "core/op_spec.h"

#include <algorithm>
#include <cmath>

#include "core/plan_choice.h"
#include "core/stream_setup.h"

namespace plumbline {

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
  const DType accumulator = dtype == DType::float64 ? DType::float64 : DType::float32;
  return factor * (info(dtype).epsilon + std::sqrt(reduction_length) * info(accumulator).epsilon);
}

const CatalogueEntry* find_op(const Catalogue& catalogue, std::string_view name) {
  const auto found = std::ranges::find_if(
      catalogue, [name](const CatalogueEntry& entry) { return entry.spec.name == name; });
  return found == catalogue.end() ? nullptr : &*found;
}

}  // namespace plumbline
