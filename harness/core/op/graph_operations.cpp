#include "core/op/graph_operations.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

namespace plumbline {
namespace {

using Names = std::vector<std::string>;
using Members = std::vector<GraphMember>;
using Value = GraphValue;

/// "X W" -> {"X", "W"}.
Names names(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

Members members(Value value, const char* list) {
  Members all;
  for (const std::string& name : names(list)) all.push_back({name, value});
  return all;
}

Members choice(const char* name, const Names& allowed) { return {{name, Value::text, allowed}}; }
Members choice(const char* name, const char* allowed) { return choice(name, names(allowed)); }

Members required(Members given) {
  for (GraphMember& member : given) member.is_required = true;
  return given;
}

Members all_of(std::initializer_list<Members> parts) {
  Members all;
  for (const Members& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Nearly all operations name the type that they compute in.
const Members& computing() {
  static const Members kMembers = choice("compute_data_type", graph_data_types());
  return kMembers;
}

Members convolution() {
  return all_of({required(members(Value::sizes, "pre_padding post_padding")),
                 required(members(Value::extents, "stride dilation")),
                 choice("math_mode", "CONVOLUTION CROSS_CORRELATION"), computing()});
}

Members pointwise() {
  Names modes;
  for (const Names& some : pointwise_modes()) modes.insert(modes.end(), some.begin(), some.end());
  return all_of({required(choice("mode", modes)), members(Value::integer, "axis"),
                 members(Value::number,
                         "relu_lower_clip relu_upper_clip relu_lower_clip_slope swish_beta "
                         "elu_alpha softplus_beta"),
                 computing()});
}

Members reduction() {
  return all_of({required(choice("mode", "ADD MUL MIN MAX AMAX AVG NORM1 NORM2 MUL_NO_ZEROS")),
                 members(Value::flag, "is_deterministic"), computing()});
}

Members resample() {
  return all_of({required(choice("resample_mode",
                                 "AVGPOOL_EXCLUDE_PADDING AVGPOOL_INCLUDE_PADDING BILINEAR "
                                 "NEAREST MAXPOOL")),
                 choice("padding_mode", "EDGE_VAL_PAD NEG_INF_PAD ZERO_PAD"),
                 required(members(Value::flag, "generate_index")),
                 required(members(Value::extents, "window stride")),
                 required(members(Value::sizes, "pre_padding post_padding"))});
}

/// Attention in both directions, except `alibi_mask`: the backward pass in 8-bit floats has none.
Members attention(const Members& more) {
  return all_of({more, members(Value::flag, "padding_mask"),
                 members(Value::number, "dropout_probability attn_scale_value"),
                 members(Value::integer, "left_bound right_bound"),
                 choice("diagonal_alignment", "TOP_LEFT BOTTOM_RIGHT")});
}

Members attention_forward() {
  return attention(all_of({members(Value::off, "is_mxfp8 unfuse_fma rescale_threshold"),
                           members(Value::flag, "alibi_mask generate_stats"),
                           members(Value::integer, "max_seq_len_kv"),
                           choice("mma_core_mode", graph_data_types()),
                           choice("implementation", "AUTO COMPOSITE UNIFIED")}));
}

Members norm() {
  return all_of({required(choice("forward_phase", "INFERENCE TRAINING")), computing()});
}

/// Statistics of other GPUs would be a list of tensors, and no port takes a list.
Members batch_norm() { return all_of({members(Value::nothing, "peer_stats"), computing()}); }

GraphOperation operation(const char* tag, const char* inputs, const char* outputs,
                         const char* more_inputs, const char* more_outputs, const Members& own) {
  return {tag,
          names(inputs),
          names(outputs),
          names(more_inputs),
          names(more_outputs),
          all_of({members(Value::text, "name"), own})};
}

GraphOperation attention_forward(const char* tag) {
  return operation(tag, "Q K V", "O",
                   "Attn_scale Bias SEQ_LEN_Q SEQ_LEN_KV Seed Offset Dropout_mask Dropout_scale "
                   "Page_table_K Page_table_V Descale_Q Descale_K Descale_V Descale_S Scale_S "
                   "Scale_O SINK_TOKEN",
                   "Stats Max Sum_exp RNG_DUMP Amax_S Amax_O", attention_forward());
}

std::vector<GraphOperation> attention_operations() {
  return {
      attention_forward("SDPA"), attention_forward("SDPA_FP8_FWD"),
      operation(
          "SDPA_BWD", "Q K V O dO Stats", "dQ dK dV",
          "Attn_scale Bias SEQ_LEN_Q SEQ_LEN_KV Seed Offset Dropout_mask Dropout_scale "
          "Dropout_scale_inv SINK_TOKEN",
          "dBias RNG_DUMP DSINK_TOKEN",
          attention(all_of({members(Value::flag, "alibi_mask is_deterministic_algorithm"),
                            members(Value::integer, "max_total_seq_len_q max_total_seq_len_kv")}))),
      operation(
          "SDPA_FP8_BWD",
          "Q K V O dO Stats Descale_Q Descale_K Descale_V Descale_O Descale_dO Descale_S "
          "Descale_dP Scale_S Scale_dQ Scale_dK Scale_dV Scale_dP",
          "dQ dK dV Amax_dQ Amax_dK Amax_dV Amax_d",
          "Q_T K_T dO_T dO_f16 Attn_scale Bias SEQ_LEN_Q SEQ_LEN_KV Seed Offset Dropout_mask "
          "Dropout_scale Dropout_scale_inv Descale_Q_T Descale_K_T Descale_dO_T SINK_TOKEN",
          "DSINK_TOKEN",
          attention(all_of({members(Value::off, "is_mxfp8 rescale_threshold"),
                            members(Value::flag, "is_deterministic_algorithm"), computing()})))};
}

std::vector<GraphOperation> norm_operations() {
  const char *forward = "X SCALE BIAS EPSILON", *backward = "DY X SCALE MEAN INV_VARIANCE",
             *statistics = "MEAN INV_VARIANCE", *gradients = "DX DSCALE DBIAS";
  return {
      operation("LAYER_NORM", forward, "Y", "", statistics, norm()),
      operation("LAYER_NORM_BPROP", backward, gradients, "", "", computing()),
      operation("RMS_NORM", "X SCALE EPSILON", "Y", "BIAS", "INV_VARIANCE", norm()),
      operation("RMS_NORM_BPROP", "DY X SCALE INV_VARIANCE", "DX DSCALE", "", "DBIAS", computing()),
      operation("INSTANCE_NORM", forward, "Y", "", statistics, norm()),
      operation("INSTANCE_NORM_BPROP", backward, gradients, "", "", computing()),
      operation("ADA_LAYER_NORM", forward, "Y", "", statistics, norm()),
      operation("ADA_LAYER_NORM_BPROP", backward, gradients, "", "", computing()),
      operation("BATCHNORM", forward, "Y MEAN INV_VARIANCE",
                "PREV_RUNNING_MEAN PREV_RUNNING_VAR MOMENTUM", "NEXT_RUNNING_MEAN NEXT_RUNNING_VAR",
                batch_norm()),
      operation("BATCHNORM_INFERENCE", "X MEAN INV_VARIANCE SCALE BIAS", "Y", "", "", computing()),
      operation("DBN", backward, gradients, "", "", batch_norm()),
      operation("DBN_WEIGHT", backward, "DSCALE DBIAS EQ_BIAS EQ_SCALE_DY EQ_SCALE_X", "", "",
                computing()),
      // cudnn-frontend crashes without the running statistics.
      operation("BN_FINALIZE",
                "SUM SQ_SUM SCALE BIAS EPSILON ACCUM_COUNT PREV_RUNNING_MEAN PREV_RUNNING_VAR "
                "MOMENTUM",
                "EQ_SCALE EQ_BIAS MEAN INV_VARIANCE NEXT_RUNNING_MEAN NEXT_RUNNING_VAR", "", "",
                computing()),
      operation("GENSTATS", "X", "SUM SQ_SUM", "", "", computing())};
}

std::vector<GraphOperation> other_operations() {
  const char* overrides = "M_override N_override K_override";
  return {
      operation("CONV_FPROP", "X W", "Y", "", "", convolution()),
      operation("CONV_DGRAD", "DY W", "DX", "", "", convolution()),
      operation("CONV_WGRAD", "DY X", "DW", "", "", convolution()),
      operation("MATMUL", "A B", "C", overrides, "",
                all_of({members(Value::number, "padding_value"), computing()})),
      operation("MATMUL_FP8", "A B Descale_A Descale_B Scale_C", "C Amax_C", overrides, "",
                computing()),
      operation("POINTWISE", "IN_0", "OUT_0", "IN_1 IN_2", "", pointwise()),  // more inputs by mode
      operation("REDUCTION", "X", "Y", "", "", reduction()),
      operation("RESAMPLE", "X", "Y", "", "Index", resample()),
      operation("BLOCK_SCALE_DEQUANTIZE", "X scale", "Y", "", "",
                all_of({required(members(Value::extents, "block_size")),
                        members(Value::flag, "is_negative_scale"), computing()})),
      operation("BLOCK_SCALE_QUANTIZE", "X", "Y scale", "", "",
                all_of({required(members(Value::integer, "block_size")),
                        members(Value::integer, "axis"), computing()})),
      operation("CONCATENATE", "0", "Y", "", "",
                all_of({required(members(Value::integer, "axis")),
                        members(Value::integer, "in_place_index")})),
      operation("SLICE", "X", "Y", "", "",
                all_of({required(members(Value::ranges, "slices")),
                        members(Value::extents, "slice_strides"), computing()})),
      operation("TRANSPOSE", "X", "Y", "", "",
                all_of({required(members(Value::sizes, "permutation")), computing()})),
      operation("RESHAPE", "X", "Y", "", "",
                all_of({choice("reshape_mode", "VIEW_ONLY LOGICAL"),
                        members(Value::extents, "dim stride"), computing()})),
      operation("MOE_GROUPED_MATMUL", "Token Weight FirstTokenOffset", "Output",
                "TokenIndex TokenKs", "",
                all_of({choice("mode", "NONE GATHER SCATTER"), members(Value::integer, "top_k")})),
      operation("MOE_GROUPED_MATMUL_BWD", "DOutput Token FirstTokenOffset", "DWeight", "", "", {})};
}

}  // namespace

const std::vector<GraphOperation>& graph_operations() {
  static const std::vector<GraphOperation> kOperations = [] {
    std::vector<GraphOperation> all = other_operations();
    for (const auto& some : {attention_operations(), norm_operations()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return kOperations;
}

const GraphOperation* find_graph_operation(std::string_view tag) {
  const auto found = std::ranges::find(graph_operations(), tag, &GraphOperation::tag);
  return found == graph_operations().end() ? nullptr : &*found;
}

std::vector<std::string> graph_inputs(const GraphOperation& kind, std::string_view mode,
                                      std::size_t given) {
  const auto numbered = [](const std::string& prefix, std::size_t count) {
    Names ports;
    for (std::size_t i = 0; i < count; ++i) ports.push_back(prefix + std::to_string(i));
    return ports;
  };
  if (kind.tag == "CONCATENATE") return numbered("", std::max<std::size_t>(given, 1));
  if (kind.tag != "POINTWISE") return kind.inputs;
  for (std::size_t i = 0; i < pointwise_modes().size(); ++i)
    if (std::ranges::count(pointwise_modes()[i], mode) > 0) return numbered("IN_", i + 1);
  return kind.inputs;
}

const std::vector<std::string>& graph_members() {
  static const Names kMembers =
      names("context tensors nodes json_version cudnn_backend_version cudnn_frontend_version");
  return kMembers;
}

const std::vector<GraphMember>& graph_context_members() {
  static const Members kMembers =
      all_of({members(Value::text, "name"), choice("compute_data_type", graph_data_types()),
              choice("intermediate_data_type", graph_data_types()),
              choice("io_data_type", graph_data_types()), members(Value::integer, "sm_count"),
              members(Value::flag, "is_dynamic_shape_enabled is_override_shape_enabled")});
  return kMembers;
}

const std::vector<GraphMember>& graph_tensor_members() {
  static const Members kMembers = all_of(
      {members(Value::text, "name"), choice("data_type", graph_data_types()),
       members(Value::extents, "dim stride"),
       members(Value::flag, "is_virtual is_pass_by_value uid_assigned"),
       members(Value::scalar, "pass_by_value"),
       choice("reordering_type", "NONE INT8x32 F16x16 F8_128x4"), members(Value::integer, "uid")});
  return kMembers;
}

const std::vector<std::vector<std::string>>& pointwise_modes() {
  static const std::vector<Names> kModes{
      names("SQRT RELU_FWD TANH_FWD SIGMOID_FWD ELU_FWD GELU_FWD SOFTPLUS_FWD SWISH_FWD ERF "
            "IDENTITY GELU_APPROX_TANH_FWD GEN_INDEX EXP LOG NEG ABS CEIL COS FLOOR RSQRT SIN "
            "LOGICAL_NOT TAN RECIPROCAL"),
      names("ADD MUL MAX MIN RELU_BWD TANH_BWD SIGMOID_BWD ELU_BWD GELU_BWD SOFTPLUS_BWD SWISH_BWD "
            "GELU_APPROX_TANH_BWD MOD POW SUB ADD_SQUARE DIV CMP_EQ CMP_NEQ CMP_GT CMP_GE CMP_LT "
            "CMP_LE LOGICAL_AND LOGICAL_OR"),
      names("BINARY_SELECT")};
  return kModes;
}

const std::vector<std::string>& graph_data_types() {
  static const Names kTypes = names(
      "FLOAT DOUBLE HALF BFLOAT16 FP8_E4M3 FP8_E5M2 INT64 INT32 INT8 UINT8 BOOLEAN "
      "FAST_FLOAT_FOR_FP8 INT8x4 INT8x32 UINT8x4 FP8_E8M0 FP4_E2M1 INT4 COMPLEX_FP32 COMPLEX_FP64");
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

}  // namespace plumbline
