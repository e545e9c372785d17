#include "backends/cudnn/graph/graph.h"

#include "backends/libtorch/libtorch.h"

namespace plumbline::cudnn {
namespace {

/// cudnn-frontend's name of a type.
const char* name_of(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return "DOUBLE";
    case at::kFloat:
      return "FLOAT";
    case at::kHalf:
      return "HALF";
    case at::kBFloat16:
      return "BFLOAT16";
    case at::kFloat8_e4m3fn:
      return "FP8_E4M3";
    case at::kFloat8_e5m2:
      return "FP8_E5M2";
    case at::kLong:
      return "INT64";
    case at::kInt:
      return "INT32";
    case at::kChar:
      return "INT8";
    case at::kByte:
      return "UINT8";
    case at::kBool:
      return "BOOLEAN";
    default:
      throw Unsupported("cuDNN has no " + std::string(c10::toString(type)));
  }
}

const char* computes_in(DType dtype) {
  if (dtype == DType::float64) return "DOUBLE";
  return is_floating(dtype) ? "FLOAT" : "INT32";
}

/// The index of float in cudnn-frontend's variant of scalars.
constexpr int kFloatIndex = 3;

constexpr std::int64_t kLongestRow = 4096;

}  // namespace

Graph::Graph(std::string name, DType dtype) : name_(std::move(name)) {
  const char* compute = computes_in(dtype);
  json_["context"] = {{"name", name_},
                      {"io_data_type", name_of(scalar_type(dtype))},
                      {"intermediate_data_type", compute},
                      {"compute_data_type", compute}};
  json_["json_version"] = "1.0";
  json_["tensors"] = Json::object();
  json_["nodes"] = Json::array();
}

Graph::Graph(std::string name, const std::string& text, std::map<std::int64_t, at::Tensor> memory)
    : name_(std::move(name)), json_(Json::parse(text)), memory_(std::move(memory)) {}

void Graph::tensor(const std::string& name, const at::Tensor& memory) {
  const auto uid = std::int64_t(memory_.size()) + 1;
  json_["tensors"][name] = {{"name", name},
                            {"data_type", name_of(memory.scalar_type())},
                            {"dim", memory.sizes().vec()},
                            {"stride", memory.strides().vec()},
                            {"uid", uid},
                            {"uid_assigned", true}};
  memory_[uid] = memory;
}

void Graph::scalar(const std::string& name, double value) {
  json_["tensors"][name] = {{"name", name},
                            {"data_type", "FLOAT"},
                            {"is_pass_by_value", true},
                            {"pass_by_value", {{"index", kFloatIndex}, {"value", value}}}};
}

void Graph::node(const std::string& tag, const Ports& inputs, const Ports& outputs,
                 const Json& attributes) {
  for (const auto& [port, name] : outputs)
    if (Json& tensors = json_["tensors"]; !tensors.contains(name))
      tensors[name] = {{"name", name}, {"is_virtual", true}};
  Json node = attributes;
  node["tag"] = tag;
  node["name"] = name_ + "." + std::to_string(json_["nodes"].size());
  node["inputs"] = inputs;
  node["outputs"] = outputs;
  json_["nodes"].push_back(std::move(node));
}

at::Tensor folded(const at::Tensor& vector) {
  std::int64_t cols = 1;
  while (cols < kLongestRow && vector.numel() % (2 * cols) == 0) cols *= 2;
  return vector.view({1, vector.numel() / cols, cols});
}

at::Tensor rows_with_channels(const at::Tensor& matrix) {
  const std::int64_t cols = matrix.size(-1);
  return matrix.as_strided({matrix.numel() / cols, cols, 1, 1}, {cols, 1, cols, cols});
}

}  // namespace plumbline::cudnn
