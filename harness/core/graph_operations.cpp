#include "core/graph_operations.h"

#include <algorithm>

namespace plumbline {
namespace {

using Members = std::vector<GraphMember>;
using Value = GraphValue;

GraphMember required(GraphMember member) {
  member.is_required = true;
  return member;
}

/// Of a type that knows "not given".
GraphMember optional(GraphMember member) {
  member.takes_null = true;
  return member;
}

GraphMember data_type(const char* name) {
  return optional({name, Value::text, graph_data_types()});
}

/// Nearly all operations can say what they compute in.
Members computing(Members members = {}) {
  members.push_back(data_type("compute_data_type"));
  return members;
}

Members convolution() {
  return computing({required({"pre_padding", Value::sizes}),
                    required({"post_padding", Value::sizes}),
                    required({"stride", Value::extents}),
                    required({"dilation", Value::extents}),
                    {"math_mode", Value::text, {"CONVOLUTION", "CROSS_CORRELATION"}}});
}

Members pointwise() {
  std::vector<std::string> modes;
  for (const PointwiseMode& mode : pointwise_modes()) modes.push_back(mode.name);
  Members members{required(optional({"mode", Value::text, modes})),
                  optional({"axis", Value::integer})};
  for (const char* name : {"relu_lower_clip", "relu_upper_clip", "relu_lower_clip_slope",
                           "swish_beta", "elu_alpha", "softplus_beta"})
    members.push_back(optional({name, Value::number}));
  return computing(members);
}

Members reduction() {
  return computing({required(optional({"mode",
                                       Value::text,
                                       {"ADD", "MUL", "MIN", "MAX", "AMAX", "AVG", "NORM1", "NORM2",
                                        "MUL_NO_ZEROS"}})),
                    {"is_deterministic", Value::flag}});
}

Members resample() {
  return {required(optional({"resample_mode",
                             Value::text,
                             {"AVGPOOL_EXCLUDE_PADDING", "AVGPOOL_INCLUDE_PADDING", "BILINEAR",
                              "NEAREST", "MAXPOOL"}})),
          optional({"padding_mode", Value::text, {"EDGE_VAL_PAD", "NEG_INF_PAD", "ZERO_PAD"}}),
          required(optional({"generate_index", Value::flag})),
          required({"window", Value::extents}),
          required({"stride", Value::extents}),
          required({"pre_padding", Value::sizes}),
          required({"post_padding", Value::sizes})};
}

/// Of attention in both directions.
Members attention(Members members) {
  for (const char* name : {"alibi_mask", "padding_mask"}) members.push_back({name, Value::flag});
  for (const char* name : {"dropout_probability", "attn_scale_value"})
    members.push_back(optional({name, Value::number}));
  for (const char* name : {"left_bound", "right_bound"})
    members.push_back(optional({name, Value::integer}));
  members.push_back({"diagonal_alignment", Value::text, {"TOP_LEFT", "BOTTOM_RIGHT"}});
  return members;
}

Members attention_forward() {
  return attention({optional({"generate_stats", Value::flag}),
                    optional({"max_seq_len_kv", Value::integer}),
                    data_type("mma_core_mode"),
                    {"implementation", Value::text, {"AUTO", "COMPOSITE", "UNIFIED"}}});
}

Members attention_backward() {
  return attention({{"is_deterministic_algorithm", Value::flag},
                    optional({"max_total_seq_len_q", Value::integer}),
                    optional({"max_total_seq_len_kv", Value::integer})});
}

Members norm() {
  return computing({required(optional({"forward_phase", Value::text, {"INFERENCE", "TRAINING"}}))});
}

/// Statistics of other GPUs are a list of tensors, which no port has.
Members batch_norm() { return computing({{"peer_stats", Value::nothing}}); }

}  // namespace

const std::vector<GraphOperation>& graph_operations() {
  static const std::vector<GraphOperation> kOperations{
      {"CONV_FPROP", {"X", "W"}, {"Y"}, {}, {}, convolution()},
      {"CONV_DGRAD", {"DY", "W"}, {"DX"}, {}, {}, convolution()},
      {"CONV_WGRAD", {"DY", "X"}, {"DW"}, {}, {}, convolution()},
      {"MATMUL",
       {"A", "B"},
       {"C"},
       {"M_override", "N_override", "K_override"},
       {},
       computing({{"padding_value", Value::number}})},
      {"POINTWISE", {"IN_0"}, {"OUT_0"}, {"IN_1", "IN_2"}, {}, pointwise()},  // as its mode says
      {"REDUCTION", {"X"}, {"Y"}, {}, {}, reduction()},
      {"RESAMPLE", {"X"}, {"Y"}, {}, {"Index"}, resample()},
      {"SDPA",
       {"Q", "K", "V"},
       {"O"},
       {"Attn_scale", "Bias", "SEQ_LEN_Q", "SEQ_LEN_KV", "Seed", "Offset", "Dropout_mask",
        "Dropout_scale", "Page_table_K", "Page_table_V", "Descale_Q", "Descale_K", "Descale_V",
        "Descale_S", "Scale_S", "Scale_O", "SINK_TOKEN"},
       {"Stats", "Max", "Sum_exp", "RNG_DUMP", "Amax_S", "Amax_O"},
       attention_forward()},
      {"SDPA_BWD",
       {"Q", "K", "V", "O", "dO", "Stats"},
       {"dQ", "dK", "dV"},
       {"Attn_scale", "Bias", "SEQ_LEN_Q", "SEQ_LEN_KV", "Seed", "Offset", "Dropout_mask",
        "Dropout_scale", "Dropout_scale_inv", "SINK_TOKEN"},
       {"dBias", "RNG_DUMP", "DSINK_TOKEN"},
       attention_backward()},
      {"LAYER_NORM",
       {"X", "SCALE", "BIAS", "EPSILON"},
       {"Y"},
       {},
       {"MEAN", "INV_VARIANCE"},
       norm()},
      {"LAYER_NORM_BPROP",
       {"DY", "X", "SCALE", "MEAN", "INV_VARIANCE"},
       {"DX", "DSCALE", "DBIAS"},
       {},
       {},
       computing()},
      {"RMS_NORM", {"X", "SCALE", "EPSILON"}, {"Y"}, {"BIAS"}, {"INV_VARIANCE"}, norm()},
      {"RMS_NORM_BPROP",
       {"DY", "X", "SCALE", "INV_VARIANCE"},
       {"DX", "DSCALE"},
       {},
       {"DBIAS"},
       computing()},
      {"INSTANCE_NORM",
       {"X", "SCALE", "BIAS", "EPSILON"},
       {"Y"},
       {},
       {"MEAN", "INV_VARIANCE"},
       norm()},
      {"INSTANCE_NORM_BPROP",
       {"DY", "X", "SCALE", "MEAN", "INV_VARIANCE"},
       {"DX", "DSCALE", "DBIAS"},
       {},
       {},
       computing()},
      {"BATCHNORM",
       {"X", "SCALE", "BIAS", "EPSILON"},
       {"Y", "MEAN", "INV_VARIANCE"},
       {"PREV_RUNNING_MEAN", "PREV_RUNNING_VAR", "MOMENTUM"},
       {"NEXT_RUNNING_MEAN", "NEXT_RUNNING_VAR"},
       batch_norm()},
      {"BATCHNORM_INFERENCE",
       {"X", "MEAN", "INV_VARIANCE", "SCALE", "BIAS"},
       {"Y"},
       {},
       {},
       computing()},
      {"DBN",
       {"DY", "X", "SCALE", "MEAN", "INV_VARIANCE"},
       {"DX", "DSCALE", "DBIAS"},
       {},
       {},
       batch_norm()},
      {"GENSTATS", {"X"}, {"SUM", "SQ_SUM"}, {}, {}, computing()},
      {"SLICE",
       {"X"},
       {"Y"},
       {},
       {},
       computing({required({"slices", Value::ranges}), {"slice_strides", Value::extents}})},
      {"TRANSPOSE",
       {"X"},
       {"Y"},
       {},
       {},
       computing({required({"permutation", Value::permutation})})},
      {"RESHAPE",
       {"X"},
       {"Y"},
       {},
       {},
       computing({{"reshape_mode", Value::text, {"VIEW_ONLY", "LOGICAL"}},
                  {"dim", Value::extents},
                  {"stride", Value::extents}})},
      {"MOE_GROUPED_MATMUL",
       {"Token", "Weight", "FirstTokenOffset"},
       {"Output"},
       {"TokenIndex", "TokenKs"},
       {},
       {{"mode", Value::text, {"NONE", "GATHER", "SCATTER"}}, {"top_k", Value::integer}}},
  };
  return kOperations;
}

const GraphOperation* find_graph_operation(std::string_view tag) {
  const auto found = std::ranges::find(graph_operations(), tag, &GraphOperation::tag);
  return found == graph_operations().end() ? nullptr : &*found;
}

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
  static const Members kMembers{
      {"name", Value::text},
      data_type("data_type"),
      {"dim", Value::extents},
      {"stride", Value::extents},
      {"is_virtual", Value::flag},
      {"is_pass_by_value", Value::flag},
      optional({"pass_by_value", Value::scalar}),
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
