#include "core/op_spec.h"

#include <algorithm>
#include <cmath>

namespace plumbline {

const std::vector<ParamSpec>& common_params() {
  static const std::vector<ParamSpec> kCommonParams{
      {"dtype", ParamKind::text, std::nullopt, std::nullopt, {}, "element type of the tensors"},
      {"direction",
       ParamKind::text,
       "forward",
       std::nullopt,
       {"forward", "backward"},
       "forward, or backward: the gradients of all floating-point inputs"},
      {"stream.count", ParamKind::integer, std::int64_t{1}, 1, {}, "instances, each on a stream"},
      {"stream.priority",
       ParamKind::text,
       "normal",
       std::nullopt,
       {"low", "normal", "high"},
       "scheduling priority of the streams"},
      {"stream.graph", ParamKind::boolean, false, std::nullopt, {}, "replayed as a CUDA graph"},
  };
  return kCommonParams;
}

std::string unmeasurable_stream(const Params& params) {
  for (const ParamSpec& spec : common_params()) {
    const auto found = params.find(spec.name);
    const bool is_stream = spec.name.starts_with("stream.") && found != params.end();
    if (is_stream && !same_value(found->second, *spec.fallback))
      return "this build measures single launches on one stream, not " + spec.name + '=' +
             to_text(found->second);
  }
  return "";
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
