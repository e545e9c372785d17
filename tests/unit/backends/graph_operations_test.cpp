/// Compares core/op/graph_operations.h with what cudnn-frontend reads: the same members, ports and
/// names.
#include "core/op/graph_operations.h"

#include <gtest/gtest.h>

#include <set>

#include "backends/cudnn/graph/graph_reader.h"

namespace plumbline::cudnn {
namespace {

using Names = std::set<std::string>;

/// Names of an enumeration in JSON; a number without a name reads as the first.
template <class Enum>
Names names_in_json() {
  Names names;
  for (int i = 0; i < 64; ++i)
    if (const FeJson name = static_cast<Enum>(i); name.is_string()) names.insert(name);
  return names;
}

Names set_of(std::vector<std::string> names, const std::vector<std::string>& more = {}) {
  Names all(names.begin(), names.end());
  all.insert(more.begin(), more.end());
  return all;
}

template <class Attributes>
void expect_same(const char* tag) {
  SCOPED_TRACE(tag);
  const GraphOperation* known = find_graph_operation(tag);
  ASSERT_NE(known, nullptr);
  const FeJson defaults = Attributes{};
  Names theirs, ours{"inputs", "outputs"};
  for (const auto& [key, value] : defaults.items()) theirs.insert(key);
  for (const GraphMember& member : known->members) {
    if (member.value == GraphValue::off) continue;  // a member of the node, not of its attributes
    ours.insert(member.name);
    for (const std::string& value : member.allowed) {
      FeJson given = defaults;
      given[member.name] = value;
      EXPECT_EQ(FeJson(given.get<Attributes>())[member.name], value) << member.name;
    }
  }
  EXPECT_EQ(ours, theirs);
  using Inputs = typename decltype(Attributes{}.inputs)::key_type;
  using Outputs = typename decltype(Attributes{}.outputs)::key_type;
  EXPECT_EQ(set_of(known->inputs, known->more_inputs), names_in_json<Inputs>());
  EXPECT_EQ(set_of(known->outputs, known->more_outputs), names_in_json<Outputs>());
}

TEST(GraphOperations, AreThoseThatCudnnFrontendReads) {
  using namespace fe::graph;
  expect_same<Conv_fprop_attributes>("CONV_FPROP");
  expect_same<Conv_dgrad_attributes>("CONV_DGRAD");
  expect_same<Conv_wgrad_attributes>("CONV_WGRAD");
  expect_same<Matmul_attributes>("MATMUL");
  expect_same<Pointwise_attributes>("POINTWISE");
  expect_same<Reduction_attributes>("REDUCTION");
  expect_same<Resample_attributes>("RESAMPLE");
  expect_same<SDPA_attributes>("SDPA");
  expect_same<SDPA_backward_attributes>("SDPA_BWD");
  expect_same<Layernorm_attributes>("LAYER_NORM");
  expect_same<Layernorm_backward_attributes>("LAYER_NORM_BPROP");
  expect_same<Rmsnorm_attributes>("RMS_NORM");
  expect_same<Rmsnorm_backward_attributes>("RMS_NORM_BPROP");
  expect_same<Instancenorm_attributes>("INSTANCE_NORM");
  expect_same<Instancenorm_backward_attributes>("INSTANCE_NORM_BPROP");
  expect_same<Batchnorm_attributes>("BATCHNORM");
  expect_same<Batchnorm_inference_attributes>("BATCHNORM_INFERENCE");
  expect_same<Batchnorm_backward_attributes>("DBN");
  expect_same<SDPA_attributes>("SDPA_FP8_FWD");
  expect_same<SDPA_fp8_backward_attributes>("SDPA_FP8_BWD");
  expect_same<BN_finalize_attributes>("BN_FINALIZE");
  expect_same<DBN_weight_attributes>("DBN_WEIGHT");
  expect_same<AdaLayernorm_attributes>("ADA_LAYER_NORM");
  expect_same<AdaLayernorm_backward_attributes>("ADA_LAYER_NORM_BPROP");
  expect_same<Matmul_fp8_attributes>("MATMUL_FP8");
  expect_same<Block_scale_dequantize_attributes>("BLOCK_SCALE_DEQUANTIZE");
  expect_same<Block_scale_quantize_attributes>("BLOCK_SCALE_QUANTIZE");
  expect_same<Genstats_attributes>("GENSTATS");
  expect_same<Slice_attributes>("SLICE");
  expect_same<Transpose_attributes>("TRANSPOSE");
  expect_same<Reshape_attributes>("RESHAPE");
  expect_same<Moe_grouped_matmul_attributes>("MOE_GROUPED_MATMUL");
  expect_same<Moe_grouped_matmul_bwd_attributes>("MOE_GROUPED_MATMUL_BWD");
  for (const GraphOperation& operation : graph_operations())
    EXPECT_TRUE(node_kinds().contains(operation.tag)) << operation.tag;
  EXPECT_EQ(node_kinds().size(), graph_operations().size());
}

/// The allowed values of an operation's member, from the table.
Names allowed(const char* tag, const char* member) {
  for (const GraphMember& known : find_graph_operation(tag)->members)
    if (known.name == member) return set_of(known.allowed);
  return {};
}

TEST(GraphOperations, NamesOfModesAreAllThatThereAre) {
  EXPECT_EQ(allowed("POINTWISE", "mode"), names_in_json<fe::PointwiseMode_t>());
  EXPECT_EQ(allowed("REDUCTION", "mode"), names_in_json<fe::ReductionMode_t>());
  EXPECT_EQ(allowed("RESAMPLE", "resample_mode"), names_in_json<fe::ResampleMode_t>());
  EXPECT_EQ(allowed("RESAMPLE", "padding_mode"), names_in_json<fe::PaddingMode_t>());
  EXPECT_EQ(allowed("RESHAPE", "reshape_mode"), names_in_json<fe::ReshapeMode_t>());
  EXPECT_EQ(allowed("CONV_FPROP", "math_mode"), names_in_json<fe::ConvolutionMode_t>());
  EXPECT_EQ(allowed("LAYER_NORM", "forward_phase"), names_in_json<fe::NormFwdPhase_t>());
  EXPECT_EQ(allowed("MOE_GROUPED_MATMUL", "mode"), names_in_json<fe::MoeGroupedMatmulMode_t>());
  EXPECT_EQ(allowed("SDPA", "diagonal_alignment"), names_in_json<fe::DiagonalAlignment_t>());
  EXPECT_EQ(allowed("SDPA", "implementation"), names_in_json<fe::AttentionImplementation_t>());
  EXPECT_EQ(set_of(graph_data_types()), names_in_json<fe::DataType_t>());
  for (std::size_t i = 0; i < pointwise_modes().size(); ++i)
    for (const std::string& mode : pointwise_modes()[i])
      EXPECT_EQ(int(i) + 2,  // the inputs and the output
                fe::get_pointwise_mode_port_count(FeJson(mode).get<fe::PointwiseMode_t>()))
          << mode;
}

TEST(GraphOperations, MembersOfATensorAreThoseThatCudnnFrontendReads) {
  const FeJson defaults = fe::graph::Tensor_attributes{};
  Names theirs, ours;
  for (const auto& [key, value] : defaults.items()) theirs.insert(key);
  for (const GraphMember& member : graph_tensor_members()) ours.insert(member.name);
  EXPECT_EQ(ours, theirs);
}

}  // namespace
}  // namespace plumbline::cudnn
