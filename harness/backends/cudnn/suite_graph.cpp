#include "backends/cudnn/suite_graph.h"

#include <ATen/ops/empty_strided.h>

#include "backends/cudnn/cudnn.h"
#include "backends/cudnn/reference/reference.h"

namespace plumbline {
namespace {

using cudnn::GraphOperand;

constexpr int kHopper = 90;

const std::map<std::string, at::ScalarType>& types() {
  static const std::map<std::string, at::ScalarType> kTypes{{"DOUBLE", at::kDouble},
                                                            {"FLOAT", at::kFloat},
                                                            {"HALF", at::kHalf},
                                                            {"BFLOAT16", at::kBFloat16},
                                                            {"FP8_E4M3", at::kFloat8_e4m3fn},
                                                            {"FP8_E5M2", at::kFloat8_e5m2},
                                                            {"INT64", at::kLong},
                                                            {"INT32", at::kInt},
                                                            {"INT8", at::kChar},
                                                            {"UINT8", at::kByte},
                                                            {"BOOLEAN", at::kBool}};
  return kTypes;
}

/// The graph's text. The case's dtype gives its default types; each tensor's name is its key in the
/// JSON, as operations refer to it.
std::string text_of(const Case& subject) {
  cudnn::Json json = cudnn::Json::parse(subject.declaration->graph);
  cudnn::Json& context = json["context"];
  if (context.is_null()) context = cudnn::Json::object();
  const auto defaults =
      cudnn::Json::parse(cudnn::Graph(subject.name, Problem(subject).dtype()).text());
  for (const auto& [key, value] : defaults.at("context").items())
    if (!context.contains(key)) context[key] = value;
  for (const auto& [key, tensor] : json.at("tensors").items()) tensor["name"] = key;
  return json.dump();
}

/// Allocates the results; the inputs are the case's.
CudnnProgram program(const Problem& p, const Operands& operands) {
  const std::string text = text_of(p.subject());
  const bool is_cuda = operands.inputs.front().is_cuda();
  const cudnn::FrontendGraph graph(text, is_cuda ? 0 : kHopper);
  std::map<std::int64_t, at::Tensor> memory;
  Tensors results;
  auto input = operands.inputs.begin();
  for (const GraphOperand& operand : graph.operands()) {
    at::Tensor& tensor = memory[operand.uid];
    if (operand.is_written)
      results.push_back(tensor = at::empty_strided(
                            operand.dims, operand.strides,
                            operands.inputs.front().options().dtype(scalar_type_of(operand))));
    else
      tensor = *input++;
  }
  return {.before = {},
          .launch = {cudnn::Graph(graph.name(), text, std::move(memory))},
          .results = std::move(results)};
}

}  // namespace

SuiteGraph::SuiteGraph(const Case& subject, bool is_cuda)
    : text_(text_of(subject)),
      operands_(cudnn::FrontendGraph::checked_operands(text_, is_cuda ? 0 : kHopper)),
      implementation_(CudnnImplementation(program)) {}

Prepared SuiteGraph::prepare(const Problem& problem, const Tensors& inputs) const {
  return implementation_(problem, {inputs, {}});
}

Tensors SuiteGraph::reference(const Tensors& inputs) const {
  cudnn::NamedValues values;
  auto input = inputs.begin();
  for (const GraphOperand& operand : operands_)
    if (!operand.is_written) values[operand.name] = *input++;
  const cudnn::NamedValues written = cudnn::reference(text_, values);
  Tensors results;
  for (const GraphOperand& operand : operands_)
    if (operand.is_written) results.push_back(written.at(operand.name));
  return results;
}

at::ScalarType scalar_type_of(const GraphOperand& operand) {
  const auto found = types().find(operand.data_type);
  if (found == types().end())
    throw Unsupported("tensor '" + operand.name + "': no data can be made of type " +
                      operand.data_type);
  return found->second;
}

}  // namespace plumbline
