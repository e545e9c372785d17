#include "backends/cudnn/reference/reference.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>
#include <ATen/ops/sum.h>

#include <bit>

#include "backends/cudnn/reference/parts.h"

namespace plumbline::cudnn {
namespace {

using Dims = std::vector<std::int64_t>;

NamedValues product(const Operation& operation) {
  for (const auto& [port, value] : operation.inputs)
    if (port != "A" && port != "B") throw NoFormula("MATMUL with the input " + port);
  return {{"C", at::matmul(operation.input("A"), operation.input("B"))}};
}

/// Reduces over the dimensions in which the result has one element.
NamedValues reduction(const Operation& operation) {
  const at::Tensor& x = operation.input("X");
  const auto shape = operation.output_dims.find("Y");
  if (shape == operation.output_dims.end()) throw NoFormula("REDUCTION without dimensions of Y");
  Dims dims;
  for (std::int64_t i = 0; i < x.dim(); ++i)
    if (shape->second[std::size_t(i)] == 1) dims.push_back(i);
  const std::string mode = operation.node.at("mode").get<std::string>();
  if (mode == "ADD") return {{"Y", at::sum(x, dims, true)}};
  if (mode == "AVG") return {{"Y", at::mean(x, dims, true)}};
  if (mode == "MAX") return {{"Y", at::amax(x, dims, true)}};
  if (mode == "MIN") return {{"Y", at::amin(x, dims, true)}};
  if (mode == "AMAX") return {{"Y", at::amax(at::abs(x), dims, true)}};
  if (mode == "NORM1") return {{"Y", at::sum(at::abs(x), dims, true)}};
  if (mode == "NORM2") return {{"Y", at::sqrt(at::sum(at::square(x), dims, true))}};
  throw NoFormula("REDUCTION " + mode);
}

using Formula = NamedValues (*)(const Operation&);

const std::map<std::string, Formula>& formulas() {
  static const std::map<std::string, Formula> kFormulas{{"POINTWISE", pointwise},
                                                        {"MATMUL", product},
                                                        {"REDUCTION", reduction},
                                                        {"CONV_FPROP", convolution},
                                                        {"CONV_DGRAD", convolution},
                                                        {"CONV_WGRAD", convolution},
                                                        {"RESAMPLE", convolution},
                                                        {"SDPA", attention},
                                                        {"SDPA_FP8_FWD", attention},
                                                        {"SDPA_BWD", attention},
                                                        {"SDPA_FP8_BWD", attention},
                                                        {"LAYER_NORM", normalization},
                                                        {"LAYER_NORM_BPROP", normalization},
                                                        {"RMS_NORM", normalization},
                                                        {"RMS_NORM_BPROP", normalization},
                                                        {"INSTANCE_NORM", normalization},
                                                        {"INSTANCE_NORM_BPROP", normalization},
                                                        {"BATCHNORM", normalization},
                                                        {"BATCHNORM_INFERENCE", normalization},
                                                        {"DBN", normalization}};
  return kFormulas;
}

/// Throws if a parameter of an activation is not at its default: the formulas assume defaults.
void check_attributes(const Json& node) {
  const std::string tag = node.at("tag").get<std::string>();
  if (tag != "POINTWISE") return;
  const std::string mode = node.at("mode").get<std::string>();
  if (!has_pointwise_mode(mode)) throw NoFormula("POINTWISE " + mode);
  for (const char* key : {"relu_lower_clip", "relu_upper_clip", "relu_lower_clip_slope",
                          "swish_beta", "elu_alpha", "softplus_beta"})
    if (const auto found = node.find(key); found != node.end() && !found->is_null())
      throw NoFormula("POINTWISE " + mode + " with '" + key + "'");
}

at::Tensor number(const Json& tensor, const at::TensorOptions& options) {
  return at::full({}, number_in(tensor.at("pass_by_value"), "value").value(), options);
}

/// Runs operations in order; later ones can read the results of earlier ones.
NamedValues run(const Json& graph, NamedValues known) {
  const at::TensorOptions options = known.begin()->second.options().dtype(at::kDouble);
  NamedValues written;
  for (const Json& node : graph.at("nodes")) {
    const auto formula = formulas().find(node.at("tag").get<std::string>());
    if (formula == formulas().end())
      throw NoFormula("operation " + node.at("tag").get<std::string>());
    check_attributes(node);
    NamedValues inputs;
    for (const auto& [port, name] : node.at("inputs").items()) {
      const Json& tensor = graph.at("tensors").at(name.get<std::string>());
      inputs[port] = tensor.value("is_pass_by_value", false) ? number(tensor, options)
                                                             : known.at(name.get<std::string>());
    }
    Operation operation{node, inputs, {}};
    for (const auto& [port, name] : node.at("outputs").items())
      if (const Json dim = graph.at("tensors").at(name.get<std::string>()).value("dim", Json());
          dim.is_array() && !dim.empty())
        operation.output_dims[port] = dim.get<Dims>();
    const NamedValues outputs = formula->second(operation);
    for (const auto& [port, name] : node.at("outputs").items()) {
      const auto value = outputs.find(port);
      if (value == outputs.end()) throw NoFormula(operation.tag() + " with the output " + port);
      written[name.get<std::string>()] = known[name.get<std::string>()] = value->second;
    }
  }
  return written;
}

}  // namespace

std::optional<double> number_in(const Json& map, const std::string& key) {
  const auto found = map.find(key);
  if (found == map.end() || found->is_null()) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  const std::string digits = found->is_string() ? found->get<std::string>() : "";
  const bool is_float = digits.size() == 8, is_double = digits.size() == 16;
  if ((!is_float && !is_double) ||
      digits.find_first_not_of("0123456789ABCDEFabcdef") != std::string::npos)
    throw NoFormula("'" + key + "' " + found->dump() +
                    ", which is neither a number nor the 8 or 16 digits of one's memory");
  const std::uint64_t bits = std::stoull(digits, nullptr, 16);
  return is_double ? std::bit_cast<double>(bits)
                   : double(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

NamedValues reference(const std::string& graph, const NamedValues& inputs) {
  const at::NoGradGuard no_grad;
  NamedValues known;
  for (const auto& [name, value] : inputs) known[name] = value.to(at::kDouble);
  return run(Json::parse(graph), std::move(known));
}

}  // namespace plumbline::cudnn
