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

/// What cudnn-frontend writes of a node and does not read again.
GraphMember off(const char* name) { return {name, Value::off}; }

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
  return attention({off("is_mxfp8"),
                    off("unfuse_fma"),
                    off("rescale_threshold"),
                    optional({"generate_stats", Value::flag}),
                    optional({"max_seq_len_kv", Value::integer}),
                    data_type("mma_core_mode"),
                    {"implementation", Value::text, {"AUTO", "COMPOSITE", "UNIFIED"}}});
}

Members attention_backward() {
  return attention({{"is_deterministic_algorithm", Value::flag},
                    optional({"max_total_seq_len_q", Value::integer}),
                    optional({"max_total_seq_len_kv", Value::integer})});
}

/// Of 8-bit floats, which know no alibi and always say what they compute in.
Members attention_backward_8_bits() {
  Members members = computing(attention(
      {off("is_mxfp8"), off("rescale_threshold"), {"is_deterministic_algorithm", Value::flag}}));
  std::erase_if(members, [](const GraphMember& member) { return member.name == "alibi_mask"; });
  return members;
}

GraphOperation attention_forward(const char* tag) {
  return {tag,
          {"Q", "K", "V"},
          {"O"},
          {"Attn_scale", "Bias", "SEQ_LEN_Q", "SEQ_LEN_KV", "Seed", "Offset", "Dropout_mask",
           "Dropout_scale", "Page_table_K", "Page_table_V", "Descale_Q", "Descale_K", "Descale_V",
           "Descale_S", "Scale_S", "Scale_O", "SINK_TOKEN"},
          {"Stats", "Max", "Sum_exp", "RNG_DUMP", "Amax_S", "Amax_O"},
          attention_forward()};
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
      attention_forward("SDPA"),
      attention_forward("SDPA_FP8_FWD"),
      {"SDPA_BWD",
       {"Q", "K", "V", "O", "dO", "Stats"},
       {"dQ", "dK", "dV"},
       {"Attn_scale", "Bias", "SEQ_LEN_Q", "SEQ_LEN_KV", "Seed", "Offset", "Dropout_mask",
        "Dropout_scale", "Dropout_scale_inv", "SINK_TOKEN"},
       {"dBias", "RNG_DUMP", "DSINK_TOKEN"},
       attention_backward()},
      {"SDPA_FP8_BWD",
       {"Q", "K", "V", "O", "dO", "Stats", "Descale_Q", "Descale_K", "Descale_V", "Descale_O",
        "Descale_dO", "Descale_S", "Descale_dP", "Scale_S", "Scale_dQ", "Scale_dK", "Scale_dV",
        "Scale_dP"},
       {"dQ", "dK", "dV", "Amax_dQ", "Amax_dK", "Amax_dV", "Amax_d"},
       {"Q_T", "K_T", "dO_T", "dO_f16", "Attn_scale", "Bias", "SEQ_LEN_Q", "SEQ_LEN_KV", "Seed",
        "Offset", "Dropout_mask", "Dropout_scale", "Dropout_scale_inv", "Descale_Q_T",
        "Descale_K_T", "Descale_dO_T", "SINK_TOKEN"},
       {"DSINK_TOKEN"},
       attention_backward_8_bits()},
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
      // cudnn-frontend crashes without the running statistics.
      {"BN_FINALIZE",
       {"SUM", "SQ_SUM", "SCALE", "BIAS", "EPSILON", "ACCUM_COUNT", "PREV_RUNNING_MEAN",
        "PREV_RUNNING_VAR", "MOMENTUM"},
       {"EQ_SCALE", "EQ_BIAS", "MEAN", "INV_VARIANCE", "NEXT_RUNNING_MEAN", "NEXT_RUNNING_VAR"},
       {},
       {},
       computing()},
      {"DBN_WEIGHT",
       {"DY", "X", "SCALE", "MEAN", "INV_VARIANCE"},
       {"DSCALE", "DBIAS", "EQ_BIAS", "EQ_SCALE_DY", "EQ_SCALE_X"},
       {},
       {},
       computing()},
      {"ADA_LAYER_NORM",
       {"X", "SCALE", "BIAS", "EPSILON"},
       {"Y"},
       {},
       {"MEAN", "INV_VARIANCE"},
       norm()},
      {"ADA_LAYER_NORM_BPROP",
       {"DY", "X", "SCALE", "MEAN", "INV_VARIANCE"},
       {"DX", "DSCALE", "DBIAS"},
       {},
       {},
       computing()},
      {"MATMUL_FP8",
       {"A", "B", "Descale_A", "Descale_B", "Scale_C"},
       {"C", "Amax_C"},
       {"M_override", "N_override", "K_override"},
       {},
       computing()},
      {"BLOCK_SCALE_DEQUANTIZE",
       {"X", "scale"},
       {"Y"},
       {},
       {},
       computing({required({"block_size", Value::extents}), {"is_negative_scale", Value::flag}})},
      {"BLOCK_SCALE_QUANTIZE",
       {"X"},
       {"Y", "scale"},
       {},
       {},
       computing({required(optional({"block_size", Value::integer})),
                  optional({"axis", Value::integer})})},
      {"CONCATENATE",
       {"0"},
       {"Y"},
       {},
       {},
       {required(optional({"axis", Value::integer})),
        optional({"in_place_index", Value::integer})}},
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
      {"MOE_GROUPED_MATMUL_BWD", {"DOutput", "Token", "FirstTokenOffset"}, {"DWeight"}},
  };
  return kOperations;
}

const GraphOperation* find_graph_operation(std::string_view tag) {
  const auto found = std::ranges::find(graph_operations(), tag, &GraphOperation::tag);
  return found == graph_operations().end() ? nullptr : &*found;
}

}  // namespace plumbline
