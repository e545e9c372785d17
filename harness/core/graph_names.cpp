/// Names of modes, members and types that graphs of cuDNN's operations use.
#include <algorithm>
#include <map>

#include "core/graph_operations.h"

namespace plumbline {
namespace {

using Value = GraphValue;

GraphMember data_type(const char* name) {
  return {name, Value::text, graph_data_types(), false, true};
}

}  // namespace

const std::vector<PointwiseMode>& pointwise_modes() {
  static const std::vector<PointwiseMode> kModes{{"ADD", 2},
                                                 {"MUL", 2},
                                                 {"SQRT"},
                                                 {"MAX", 2},
                                                 {"MIN", 2},
                                                 {"RELU_FWD"},
                                                 {"TANH_FWD"},
                                                 {"SIGMOID_FWD"},
                                                 {"ELU_FWD"},
                                                 {"GELU_FWD"},
                                                 {"SOFTPLUS_FWD"},
                                                 {"SWISH_FWD"},
                                                 {"RELU_BWD", 2},
                                                 {"TANH_BWD", 2},
                                                 {"SIGMOID_BWD", 2},
                                                 {"ELU_BWD", 2},
                                                 {"GELU_BWD", 2},
                                                 {"SOFTPLUS_BWD", 2},
                                                 {"SWISH_BWD", 2},
                                                 {"ERF"},
                                                 {"IDENTITY"},
                                                 {"GELU_APPROX_TANH_BWD", 2},
                                                 {"GELU_APPROX_TANH_FWD"},
                                                 {"GEN_INDEX"},
                                                 {"BINARY_SELECT", 3},
                                                 {"EXP"},
                                                 {"LOG"},
                                                 {"NEG"},
                                                 {"MOD", 2},
                                                 {"POW", 2},
                                                 {"ABS"},
                                                 {"CEIL"},
                                                 {"COS"},
                                                 {"FLOOR"},
                                                 {"RSQRT"},
                                                 {"SIN"},
                                                 {"LOGICAL_NOT"},
                                                 {"TAN"},
                                                 {"SUB", 2},
                                                 {"ADD_SQUARE", 2},
                                                 {"DIV", 2},
                                                 {"CMP_EQ", 2},
                                                 {"CMP_NEQ", 2},
                                                 {"CMP_GT", 2},
                                                 {"CMP_GE", 2},
                                                 {"CMP_LT", 2},
                                                 {"CMP_LE", 2},
                                                 {"LOGICAL_AND", 2},
                                                 {"LOGICAL_OR", 2},
                                                 {"RECIPROCAL"}};
  return kModes;
}

const std::vector<GraphMember>& graph_tensor_members() {
  static const std::vector<GraphMember> kMembers{
      {"name", Value::text},
      data_type("data_type"),
      {"dim", Value::extents},
      {"stride", Value::extents},
      {"is_virtual", Value::flag},
      {"is_pass_by_value", Value::flag},
      {"pass_by_value", Value::scalar, {}, false, true},
      {"reordering_type", Value::text, {"NONE", "INT8x32", "F16x16", "F8_128x4"}},
      {"uid", Value::integer},
      {"uid_assigned", Value::flag}};
  return kMembers;
}

const std::vector<std::string>& graph_members() {
  static const std::vector<std::string> kMembers{"context",
                                                 "tensors",
                                                 "nodes",
                                                 "json_version",
                                                 "cudnn_backend_version",
                                                 "cudnn_frontend_version"};
  return kMembers;
}

const std::vector<GraphMember>& graph_context_members() {
  static const std::vector<GraphMember> kMembers{{"name", Value::text},
                                                 data_type("compute_data_type"),
                                                 data_type("intermediate_data_type"),
                                                 data_type("io_data_type"),
                                                 {"sm_count", Value::integer},
                                                 {"is_dynamic_shape_enabled", Value::flag},
                                                 {"is_override_shape_enabled", Value::flag}};
  return kMembers;
}

const std::vector<std::string>& graph_data_types() {
  static const std::vector<std::string> kTypes{
      "FLOAT",   "DOUBLE",   "HALF",     "BFLOAT16", "FP8_E4M3",           "FP8_E5M2",    "INT64",
      "INT32",   "INT8",     "UINT8",    "BOOLEAN",  "FAST_FLOAT_FOR_FP8", "INT8x4",      "INT8x32",
      "UINT8x4", "FP8_E8M0", "FP4_E2M1", "INT4",     "COMPLEX_FP32",       "COMPLEX_FP64"};
  return kTypes;
}

const char* graph_data_type_of(DType dtype) {
  static const std::map<DType, const char*> kNames{
      {DType::float64, "DOUBLE"},      {DType::float32, "FLOAT"},
      {DType::float16, "HALF"},        {DType::bfloat16, "BFLOAT16"},
      {DType::int64, "INT64"},         {DType::int32, "INT32"},
      {DType::int8, "INT8"},           {DType::uint8, "UINT8"},
      {DType::boolean, "BOOLEAN"},     {DType::float8_e4m3fn, "FP8_E4M3"},
      {DType::float8_e5m2, "FP8_E5M2"}};
  const auto found = kNames.find(dtype);
  return found == kNames.end() ? nullptr : found->second;
}

std::vector<std::string> graph_inputs(const GraphOperation& kind, const std::string& mode,
                                      std::size_t given) {
  if (kind.tag == "CONCATENATE") {
    std::vector<std::string> inputs{"0"};
    while (inputs.size() < given) inputs.push_back(std::to_string(inputs.size()));
    return inputs;
  }
  const auto known = std::ranges::find(pointwise_modes(), mode, &PointwiseMode::name);
  if (kind.tag != "POINTWISE" || known == pointwise_modes().end()) return kind.inputs;
  std::vector<std::string> inputs;
  for (int i = 0; i < known->inputs; ++i) inputs.push_back("IN_" + std::to_string(i));
  return inputs;
}

}  // namespace plumbline
