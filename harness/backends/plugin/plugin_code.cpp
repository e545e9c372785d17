#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include "backends/code_files.h"
#include "backends/custom_code.h"
#include "backends/libtorch/libtorch.h"
#include "backends/plugin/plugin_library.h"
#include "core/error.h"
#include "core/expression/expression.h"
#include "device/cuda/kernels.h"

namespace plumbline {
namespace {

/// An instance of the plug-in, destroyed with its last owner.
using Instance = std::shared_ptr<plumbline_instance>;

/// A parameter with its text.
struct Param {
  std::string name, value;
};

std::vector<Param> evaluated(const PluginCode& plugin, const Params& params) {
  std::vector<Param> texts;
  for (const auto& [name, expression] : plugin.params) {
    try {
      texts.push_back({name, to_text(evaluate(expression, params))});
    } catch (const Error& error) {
      throw Error("params." + name + ": in the expression '" + expression + "': " + error.what());
    }
  }
  return texts;
}

/// A request and all data that it points to.
class Request {
 public:
  Request(const Case& subject, const BoundTensors& tensors, bool is_cuda)
      : texts_(evaluated(*subject.declaration->plugin, subject.params)) {
    const std::vector<Argument>& declared = subject.declaration->args;
    described_.reserve(declared.size());
    for (std::size_t i = 0; i < declared.size(); ++i) {
      const at::Tensor& tensor = tensors[i];
      described_.push_back({sizeof(plumbline_tensor), declared[i].name.c_str(),
                            static_cast<std::int32_t>(declared[i].role),
                            static_cast<std::int32_t>(dtype_of(tensor.scalar_type())),
                            static_cast<std::int32_t>(tensor.dim()), tensor.sizes().data()});
      pointers_.push_back(&described_.back());
    }
    for (const Param& param : texts_) params_.push_back({param.name.c_str(), param.value.c_str()});
    request_.size = sizeof request_;
    request_.function = subject.declaration->plugin->function.c_str();
    request_.device = is_cuda ? PLUMBLINE_CUDA : PLUMBLINE_CPU;
    int ordinal = 0;
    if (is_cuda) cuda::check(cudaGetDevice(&ordinal), "cudaGetDevice");
    request_.device_ordinal = ordinal;
    request_.param_count = static_cast<std::uint32_t>(params_.size());
    request_.params = params_.data();
    request_.tensor_count = static_cast<std::uint32_t>(pointers_.size());
    request_.tensors = pointers_.data();
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  const plumbline_request* get() const { return &request_; }

 private:
  std::vector<Param> texts_;
  std::vector<plumbline_param> params_;
  std::vector<plumbline_tensor> described_;
  std::vector<const plumbline_tensor*> pointers_;
  plumbline_request request_{};
};

class Plugin final : public CustomCode {
 public:
  Plugin(const Case& subject, bool is_cuda)
      : subject_(subject),
        is_cuda_(is_cuda),
        library_(std::make_shared<PluginLibrary>(subject.declaration->plugin->library)) {
    std::vector<std::string> names;
    for (const auto& [name, expression] : subject.declaration->plugin->params)
      names.push_back(name);
    library_->check_op(subject.declaration->plugin->function, names);
  }

  std::vector<FileRef> files() const override {
    return library_files(subject_.declaration->plugin->library);
  }

  Launch bind(const BoundTensors& tensors) override {
    if (!instance_) create(tensors);
    at::Tensor workspace;
    const plumbline_plugin& functions = library_->functions();
    if (functions.workspace_bytes != nullptr)
      if (const std::size_t bytes = library_->called(
              "workspace_bytes", [&] { return functions.workspace_bytes(instance_.get()); });
          bytes > 0)
        workspace = at::empty({std::int64_t(bytes)}, tensors.front().options().dtype(at::kByte));
    std::vector<void*> addresses;
    for (const at::Tensor& tensor : tensors) addresses.push_back(tensor.data_ptr());
    return [addresses, tensors, workspace, instance = instance_, library = library_,
            is_cuda = is_cuda_] {
      void* const stream =
          is_cuda ? static_cast<void*>(c10::cuda::getCurrentCUDAStream().stream()) : nullptr;
      void* const room = workspace.defined() ? workspace.data_ptr() : nullptr;
      const auto launch = [&] {
        return library->functions().launch(instance.get(), addresses.data(), room, stream);
      };
      library->check(library->called("launch", launch), "launch");
    };
  }

 private:
  /// Runs once: at other placements the tensors have other addresses, but the same shapes.
  void create(const BoundTensors& tensors) {
    const Request request(subject_, tensors, is_cuda_);
    plumbline_instance* made = nullptr;
    const auto create = [&] { return library_->functions().create(request.get(), &made); };
    library_->check(library_->called("create", create), "create");
    if (made == nullptr) library_->fail("create: PLUMBLINE_OK without an instance: set *instance");
    instance_ = Instance(made, [library = library_](plumbline_instance* instance) {
      library->functions().destroy(instance);
    });
  }

  const Case& subject_;
  bool is_cuda_;
  std::shared_ptr<PluginLibrary> library_;
  Instance instance_;
};

}  // namespace

static_assert(PLUMBLINE_FLOAT64 == int(DType::float64) && PLUMBLINE_BOOL == int(DType::boolean) &&
              PLUMBLINE_INT64 == int(DType::int64) && PLUMBLINE_BFLOAT16 == int(DType::bfloat16) &&
              PLUMBLINE_FLOAT8_E4M3FN == int(DType::float8_e4m3fn) &&
              PLUMBLINE_FLOAT8_E5M2 == int(DType::float8_e5m2));
static_assert(PLUMBLINE_INPUT == int(Argument::Role::input) &&
              PLUMBLINE_OUTPUT == int(Argument::Role::output) &&
              PLUMBLINE_INOUT == int(Argument::Role::inout) &&
              PLUMBLINE_SCRATCH == int(Argument::Role::scratch));

std::unique_ptr<CustomCode> open_plugin(const Case& subject, bool is_cuda) {
  return std::make_unique<Plugin>(subject, is_cuda);
}

}  // namespace plumbline
