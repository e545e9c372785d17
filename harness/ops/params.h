/// Kinds of parameters for the ops' op.cpp, and parameters that several ops share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/op/op_spec.h"

namespace plumbline {

/// An integer of at least 1 that every case gives.
inline ParamSpec size_param(std::string name, std::string doc) {
  return {std::move(name), ParamKind::integer, std::nullopt, 1, {}, std::move(doc)};
}

inline ParamSpec flag_param(std::string name, bool fallback, std::string doc) {
  return {std::move(name), ParamKind::boolean, fallback, std::nullopt, {}, std::move(doc)};
}

/// A word that every case gives.
inline ParamSpec word_param(std::string name, std::vector<std::string> allowed, std::string doc) {
  return {std::move(name), ParamKind::text,    std::nullopt,
          std::nullopt,    std::move(allowed), std::move(doc)};
}

/// A word that defaults to the first allowed one.
inline ParamSpec choice_param(std::string name, std::vector<std::string> allowed, std::string doc) {
  ParamSpec param = word_param(std::move(name), std::move(allowed), std::move(doc));
  param.fallback = param.allowed.front();
  return param;
}

inline ParamSpec layout_param(std::string doc = "memory order of the images; nhwc: channels last") {
  return choice_param("layout", {"nchw", "nhwc"}, std::move(doc));
}

inline ParamSpec scale_param() {
  return choice_param("scale", {"tensor", "row"}, "what shares a scale");
}

/// GPUs that compute a case together.
inline ParamSpec ranks_param() {
  return {"ranks", ParamKind::integer, std::nullopt, 2, {}, "GPUs, each with a rank"};
}

/// Of NCCL.
inline ParamSpec algorithm_param() {
  return choice_param("algorithm", {"auto", "ring", "tree"}, "NCCL's algorithm; auto: its choice");
}

/// Of NCCL.
inline ParamSpec protocol_param() {
  return choice_param("protocol", {"auto", "ll", "ll128", "simple"},
                      "NCCL's protocol; auto: its choice");
}

/// Of collectives.
inline ParamSpec group_graph_param() {
  return flag_param("graph", false, "all ranks' part of a launch is one CUDA graph");
}

/// Of gelu.
inline ParamSpec approximate_param() {
  return choice_param("approximate", {"none", "tanh"},
                      "none: by erf; tanh: the approximation of BERT and GPT-2");
}

}  // namespace plumbline
