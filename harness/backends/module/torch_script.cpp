#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>
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

/// What an operator said: the interpreter puts it behind its own traceback.
std::string said(const std::exception& error) {
  std::string text = error.what();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const bool is_traceback = text.find("TorchScript interpreter") != std::string::npos;
  return is_traceback ? text.substr(text.rfind('\n') + 1) : text.substr(0, text.find('\n'));
}

/// Buffers of integers stay what they are: positions, counters.
void turn_to(torch::jit::Module& module, at::ScalarType type) {
  const auto turn = [type](const at::Tensor& tensor) {
    if (tensor.is_floating_point()) tensor.set_data(tensor.to(type));
  };
  for (const at::Tensor& parameter : module.parameters()) turn(parameter);
  for (const at::Tensor& buffer : module.buffers()) turn(buffer);
}

class TorchScript final : public SavedNetwork {
 public:
  TorchScript(torch::jit::Module module, at::ScalarType type, at::Device device)
      : saved_(module.deepcopy()), module_(std::move(module)) {
    module_.to(device);
    turn_to(module_, type);
    module_.eval();
    saved_.to(device);
    saved_.eval();
  }

  Tensors run(const Stack& arguments) override {
    const at::NoGradGuard no_grad;
    try {
      return tensors_in({module_.forward(arguments)});
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const std::exception& error) {
      const std::string text = said(error);
      // The interpreter turns all errors into its own.
      const bool is_of_memory = text.find("no room for") != std::string::npos ||
                                text.find("out of memory") != std::string::npos;
      TORCH_CHECK_WITH(OutOfMemoryError, !is_of_memory, text);
      throw Error("forward() of the network: " + text);
    }
  }

  /// By its interpreter alone, so that an error of the optimizer is found.
  Tensors run_in_float64(const Stack& arguments) override {
    const at::NoGradGuard no_grad;
    const torch::jit::GraphOptimizerEnabledGuard plain(false);
    try {
      if (!exact_) {
        exact_ = saved_.deepcopy();
        turn_to(*exact_, at::kDouble);
      }
      return tensors_in({exact_->forward(arguments)});
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const std::exception& error) {
      throw NoReference("the network does not run in float64: " + said(error));
    }
  }

 private:
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
    throw Error(path +
                " is no TorchScript, as torch.jit.save writes it (torch.save writes another "
                "format): " +
                said(error));
  }
}

}  // namespace plumbline
