#include <functional>

#include "core/op/op_spec.h"
#include "ops/parameter_lists.h"
#include "ops/params.h"

namespace plumbline {
namespace {

/// `of_equal` for equal tensors, or else what `of_list` says of the case's list.
std::string by_list(const std::string& of_equal,
                    const std::function<std::string(const ParameterSizes&)>& of_list) {
  std::string words = "(";
  for (const auto& [name, sizes] : parameter_lists())
    words += "list == '" + name + "' ? " + of_list(sizes) + " : ";
  return words + of_equal + ")";
}

std::vector<std::string> lists() {
  std::vector<std::string> names{"equal"};
  for (const auto& [name, sizes] : parameter_lists()) names.push_back(name);
  return names;
}

ParamSpec count_param(std::string name, std::int64_t fallback, std::string doc, double maximum) {
  return {std::move(name), ParamKind::integer, fallback, double(fallback), {}, std::move(doc),
          maximum};
}

}  // namespace

/// One step of AdamW (Loshchilov & Hutter 2019) in place: parameters p, gradients g, moments m, v;
///   m = β1 m + (1 - β1) g,  v = β2 v + (1 - β2) g²,
///   p = (1 - lr λ) p - lr / (1 - β1^t) m / (sqrt(v / (1 - β2^t)) + ε).
/// Each launch uses the same step number t, so that all do the same work. A launch starts from the
/// state that the previous one left. It is verified after one launch on fresh inputs. A square root
/// counts as one operation; values shared by all elements are not counted.
///
/// The tensors are `tensors` of `elements` each, or all parameters of a network (`list`), whose
/// sizes differ widely. `shards`: a rank's part of them where ranks share each tensor, as fully
/// sharded data parallelism does (Zhao et al. 2023).
OpSpec adamw_op() {
  const std::string elements = by_list("tensors * elements", elements_in_words);
  const std::string tensors =
      by_list("tensors", [](const ParameterSizes& sizes) { return std::to_string(sizes.size()); });
  return {
      .name = "adamw",
      .doc = "AdamW optimiser step in place, on one or several tensors of parameters",
      .revision = 1,
      .params =
          {{"elements", ParamKind::integer, std::int64_t{0}, 0, {}, "of each of equal tensors"},
           count_param("tensors", 1, "parameter tensors updated together", 1024),
           choice_param("list", lists(),
                        "network whose parameters are updated; equal: tensors of elements"),
           count_param("shards", 1, "ranks that share each tensor of a list", 1e9)},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"list != 'equal' or elements >= 1", "equal tensors need their elements"},
                       {"list == 'equal' or elements == 0 and tensors == 1",
                        "the tensors and their elements are those of the list"},
                       {"list != 'equal' or shards == 1",
                        "shards divides the tensors of a list; equal tensors give the elements "
                        "that a rank has"}},
      .forward = {"14 * " + elements,
                  "7 * " + elements + " * sizeof(dtype) + 4 * " + tensors},  // and step numbers
      .backward = {},
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
