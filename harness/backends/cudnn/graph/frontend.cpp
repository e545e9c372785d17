#include "backends/cudnn/graph/frontend.h"

#include <cmath>

#include "backends/cudnn/graph/graph_reader.h"
#include "backends/implementation.h"

// Called only by cudnn-frontend's own kernels (HeurMode_t::OPENSOURCE), which are never used.
#pragma weak nvrtcCompileProgram
#pragma weak nvrtcCreateProgram
#pragma weak nvrtcDestroyProgram
#pragma weak nvrtcGetCUBIN
#pragma weak nvrtcGetCUBINSize
#pragma weak nvrtcGetErrorString
#pragma weak nvrtcGetPTX
#pragma weak nvrtcGetPTXSize
#pragma weak nvrtcGetProgramLog
#pragma weak nvrtcGetProgramLogSize

namespace plumbline::cudnn {
std::string version() { return fe::detail::get_backend_version_string(); }

FrontendGraph::FrontendGraph(const std::string& text, int compute_capability)
    : graph_(std::make_unique<OpenGraph>()) {
  if (compute_capability > 0) graph_->set_sm_version(compute_capability);
  const GraphReader reader(*graph_, text);
  name_ = reader.name();
  free_uid_ = reader.free_uid();
  require_valid(status_of([this] { return graph_->validate(); }), name_, "");
  for (const FeTensor& factor : reader.factors())
    multiplies_float32_ |= factor->get_data_type() == fe::DataType_t::FLOAT;
  multiplies_matrices_ = reader.multiplies_matrices();
  for (const auto& [tensor, is_written] : reader.operands()) {
    graph_->complete_type(tensor);
    if (tensor->get_dim().empty())
      throw Error("tensor '" + tensor->get_name() + "' of '" + name_ +
                  "' lacks 'dim' and 'stride', which do not follow from the operation that writes "
                  "it");
    check_operand(tensor, is_written);
    operands_.push_back({tensor->get_name(), FeJson(tensor->get_data_type()).get<std::string>(),
                         tensor->get_dim(), tensor->get_stride(), tensor->get_uid(), is_written});
  }
}

std::vector<GraphOperand> FrontendGraph::checked_operands(const std::string& text,
                                                          int compute_capability) {
  FrontendGraph graph(text, compute_capability);
  std::string refused;
  fe::error_t status = graph.graph_->make_operations(graph.free_uid_, refused);
  // What this cuDNN does not support is reported by find_plans().
  if (status.is_bad() && status.get_message().find("BAD_PARAM") != std::string::npos)
    throw Error(said("create_operation", graph.name_, status.get_message()) + "; " + refused);
  return graph.operands_;
}

FrontendGraph::~FrontendGraph() = default;

/// Why a plan that is in the list must not be built.
std::string FrontendGraph::refused() const {
  std::vector<std::string> reasons;
  if (multiplies_float32_ && !constraints_.allows_tf32)
    reasons.emplace_back("round float32 operands to TF32");
  if (constraints_.is_deterministic) reasons.emplace_back("not give the same bits every time");
  std::string text = "it would ";
  for (const std::string& reason : reasons)
    text += (&reason != &reasons.front() ? " or " : "") + reason;
  return text;
}

void FrontendGraph::find_plans(cudnnContext* handle, const Constraints& constraints,
                               const std::string& device) {
  constraints_ = constraints;
  // cuDNN 9.19 offers a plan for these. Its notes do not name tensor cores, but it rounds to TF32.
  if (multiplies_float32_ && multiplies_matrices_ && !constraints.allows_tf32)
    throw Unsupported(said("create_execution_plans", name_,
                           "its products of matrices round float32 operands to TF32, which "
                           "library.tf32 does not allow"));
  const auto require = [this](const char* call, fe::error_t status) {
    if (status.is_bad()) throw Unsupported(said(call, name_, status.get_message()));
  };
  if (!device.empty()) {
    const auto properties = std::make_shared<fe::DeviceProperties>();
    require("DeviceProperties::deserialize",
            properties->deserialize({device.begin(), device.end()}));
    graph_->set_device_properties(properties);
  }
  require("build_operation_graph",
          status_of([&] { return graph_->build_operation_graph(handle); }));
  require("create_execution_plans", status_of([&] {
            return graph_->create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK});
          }));
  // As LibTorch chooses: an engine on tensor cores rounds float32 operands.
  if (multiplies_float32_ && !constraints.allows_tf32)
    graph_->deselect_numeric_notes(
        {fe::NumericalNote_t::TENSOR_CORE, fe::NumericalNote_t::DOWN_CONVERT_INPUTS});
  if (constraints.is_deterministic)
    graph_->deselect_numeric_notes({fe::NumericalNote_t::NONDETERMINISTIC});
}

std::int64_t FrontendGraph::plan_count() const { return graph_->get_execution_plan_count(); }

std::string FrontendGraph::build_plan(std::int64_t index) {
  fe::error_t status = status_of([&] { return graph_->build_plan_at_index(index); });
  if (status.get_message() == "Deselecting execution plan") return refused();
  return status.is_good() ? "" : said("build_plan_at_index", name_, status.get_message());
}

std::string FrontendGraph::plan_name(std::int64_t index) const {
  std::string name;
  const fe::error_t status = graph_->get_plan_name_at_index(index, name);
  return fe::error_t(status).is_good() ? name : "";
}

std::int64_t FrontendGraph::workspace_bytes(std::int64_t index) const {
  return graph_->get_workspace_size_plan_at_index(index);
}

std::vector<void*> FrontendGraph::arranged(const Memory& memory) const {
  if (fe::error_t status = graph_->prepare_variant_pack_template(); status.is_bad())
    throw std::runtime_error(said("prepare_variant_pack_template", name_, status.get_message()));
  std::vector<void*> pointers;
  for (const std::int64_t uid : graph_->get_variant_pack_uids_sorted())
    pointers.push_back(memory.at(uid));
  return pointers;
}

void FrontendGraph::execute(cudnnContext* handle, std::int64_t plan, std::vector<void*>& pointers,
                            void* workspace) const {
  fe::error_t status =
      graph_->execute_plan_at_index(handle, pointers.data(), int(pointers.size()), workspace, plan);
  if (status.is_bad()) throw std::runtime_error(said("execute", name_, status.get_message()));
}

}  // namespace plumbline::cudnn
