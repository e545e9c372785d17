/// What the ops share that NCCL computes on several GPUs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// Of the collectives that combine elements.
inline ParamSpec reduction_param() {
  return choice_param("reduction", {"sum", "avg", "max", "min"},
                      "how elements of ranks are combined");
}

inline ParamSpec in_place_param() {
  return flag_param("in_place", false, "the result takes the place of the input");
}

/// A collective over vectors of `elements`, which copies unless it has a reduction. `more`: its own
/// parameters. `bytes`: those of nccl-tests' bus bandwidth (doc/PERFORMANCE.md there), so that
/// bytes per second can be compared with the speed of a link.
inline OpSpec collective_op(std::string name, std::string doc, std::string elements_doc,
                            const std::vector<ParamSpec>& more, std::string bytes) {
  OpSpec spec{.name = std::move(name),
              .doc = std::move(doc),
              .params = {ranks_param(), size_param("elements", std::move(elements_doc))},
              .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
              .requirements = {},
              .limits = {{"nccl", "device.kind == 'cuda'",
                          "NCCL's ranks are GPUs; --device cuda has them"}},
              .forward = {"0", std::move(bytes)},
              .backward = {},
              .exact = "true"};
  spec.params.insert(spec.params.end(), more.begin(), more.end());
  for (ParamSpec param : {algorithm_param(), protocol_param(), group_graph_param()})
    spec.params.push_back(std::move(param));
  return spec;
}

/// Results are sums of the ranks' elements, or their extremes.
inline void combine(OpSpec& spec) {
  spec.reduction_length = "ranks";
  spec.roundings = 2;
  spec.exact = "reduction == 'max' or reduction == 'min'";
}

/// NCCL makes the op of sends and receives, which ignore its choices (ncclTopoGetAlgoInfo() is for
/// the other ops alone).
inline void send_and_receive(OpSpec& spec) {
  spec.limits.push_back({"nccl", "algorithm == 'auto' and protocol == 'auto'",
                         "NCCL's sends and receives have no algorithm or protocol to choose"});
}

/// Every rank has an equal part of the vector.
inline void divide(OpSpec& spec) {
  spec.requirements.push_back(
      {"elements % ranks == 0",
       "every rank has an equal part: elements must be a multiple of ranks"});
}

}  // namespace plumbline
