#include "core/graph_operations.h"

#include <algorithm>

namespace plumbline {

const std::vector<GraphOperation>& graph_operations() {
  static const std::vector<GraphOperation> kOperations{
      {"CONV_FPROP", {"X", "W"}, {"Y"}},
      {"CONV_DGRAD", {"DY", "W"}, {"DX"}},
      {"CONV_WGRAD", {"DY", "X"}, {"DW"}},
      {"MATMUL", {"A", "B"}, {"C"}},
      {"POINTWISE", {"IN_0"}, {"OUT_0"}},  // and as many inputs as its mode says
      {"REDUCTION", {"X"}, {"Y"}},
      {"RESAMPLE", {"X"}, {"Y"}},
      {"SDPA", {"Q", "K", "V"}, {"O"}},
      {"SDPA_BWD", {"Q", "K", "V", "O", "dO", "Stats"}, {"dQ", "dK", "dV"}},
      {"LAYER_NORM", {"X", "SCALE", "BIAS", "EPSILON"}, {"Y"}},
      {"LAYER_NORM_BPROP", {"DY", "X", "SCALE", "MEAN", "INV_VARIANCE"}, {"DX", "DSCALE", "DBIAS"}},
      {"RMS_NORM", {"X", "SCALE", "EPSILON"}, {"Y"}},
      {"RMS_NORM_BPROP", {"DY", "X", "SCALE", "INV_VARIANCE"}, {"DX", "DSCALE"}},
      {"INSTANCE_NORM", {"X", "SCALE", "BIAS", "EPSILON"}, {"Y"}},
      {"INSTANCE_NORM_BPROP",
       {"DY", "X", "SCALE", "MEAN", "INV_VARIANCE"},
       {"DX", "DSCALE", "DBIAS"}},
      {"BATCHNORM", {"X", "SCALE", "BIAS", "EPSILON"}, {"Y", "MEAN", "INV_VARIANCE"}},
      {"BATCHNORM_INFERENCE", {"X", "MEAN", "INV_VARIANCE", "SCALE", "BIAS"}, {"Y"}},
      {"DBN", {"DY", "X", "SCALE", "MEAN", "INV_VARIANCE"}, {"DX", "DSCALE", "DBIAS"}},
      {"GENSTATS", {"X"}, {"SUM", "SQ_SUM"}},
      {"SLICE", {"X"}, {"Y"}},
      {"TRANSPOSE", {"X"}, {"Y"}},
      {"RESHAPE", {"X"}, {"Y"}},
  };
  return kOperations;
}

const GraphOperation* find_graph_operation(std::string_view tag) {
  const auto found = std::ranges::find(graph_operations(), tag, &GraphOperation::tag);
  return found == graph_operations().end() ? nullptr : &*found;
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

const std::vector<std::string>& graph_context_members() {
  static const std::vector<std::string> kMembers{
      "name",     "compute_data_type",        "intermediate_data_type",   "io_data_type",
      "sm_count", "is_dynamic_shape_enabled", "is_override_shape_enabled"};
  return kMembers;
}

const std::vector<std::string>& graph_data_types() {
  static const std::vector<std::string> kTypes{
      "FLOAT",   "DOUBLE",   "HALF",     "BFLOAT16", "FP8_E4M3",           "FP8_E5M2",    "INT64",
      "INT32",   "INT8",     "UINT8",    "BOOLEAN",  "FAST_FLOAT_FOR_FP8", "INT8x4",      "INT8x32",
      "UINT8x4", "FP8_E8M0", "FP4_E2M1", "INT4",     "COMPLEX_FP32",       "COMPLEX_FP64"};
  return kTypes;
}

}  // namespace plumbline
