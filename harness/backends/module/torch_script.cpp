#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <optional>
#include <utility>

#include "backends/module/saved_network.h"
#include "backends/no_reference.h"
#include "core/error.h"

namespace plumbline {
namespace {

class TorchScript final : public SavedNetwork {
 public:
  TorchScript(torch::jit::Module module, at::ScalarType type, at::Device device)
      : saved_(module.deepcopy()), module_(std::move(module)) {
    module_.to(device, type);
    module_.eval();
    saved_.to(device);
    saved_.eval();
  }

  Tensors run(const Stack& arguments) override {
    const at::NoGradGuard no_grad;
    return tensors_in({module_.forward(arguments)});
  }

  /// By its interpreter alone, so that an error of the optimizer is found.
  Tensors run_in_float64(const Stack& arguments) override {
    const at::NoGradGuard no_grad;
    const torch::jit::GraphOptimizerEnabledGuard plain(false);
    try {
      if (!exact_) {
        exact_ = saved_.deepcopy();
        exact_->to(at::kDouble);
      }
      return tensors_in({exact_->forward(arguments)});
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const std::exception& error) {
      throw NoReference("the network does not run in float64: " + first_line(error.what()));
    }
  }

 private:
  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  torch::jit::Module saved_, module_;
  std::optional<torch::jit::Module> exact_;
};

}  // namespace

std::unique_ptr<SavedNetwork> open_torch_script(const std::string& path, at::ScalarType type,
                                                at::Device device) {
  try {
    return std::make_unique<TorchScript>(torch::jit::load(path), type, device);
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    throw Error(
        path +
        " is no TorchScript, as torch.jit.save writes it (torch.save writes another format): " +
        text.substr(0, text.find('\n')));
  }
}

}  // namespace plumbline
