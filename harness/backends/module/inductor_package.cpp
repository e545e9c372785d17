#include <ATen/core/grad_mode.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <memory>

#include "backends/module/saved_network.h"
#include "backends/no_reference.h"
#include "core/error.h"

namespace plumbline {
namespace {

using Loader = torch::inductor::AOTIModelPackageLoader;

class InductorPackage final : public SavedNetwork {
 public:
  InductorPackage(const std::string& path, at::Device device)
      : device_(device),
        loader_(std::make_unique<Loader>(path, "model", /*run_single_threaded=*/true,
                                         /*num_runners=*/1, device.index())) {}

  Tensors run(const Stack& arguments) override {
    const at::NoGradGuard no_grad;
    const bool is_cuda = device_.is_cuda();
    return loader_->run(
        tensors_in(arguments),
        is_cuda ? static_cast<void*>(c10::cuda::getCurrentCUDAStream().stream()) : nullptr);
  }

  Tensors run_in_float64(const Stack&) override {
    throw NoReference(
        "a package of AOTInductor computes with its own types alone; name TorchScript of the same "
        "network in reference_source");
  }

 private:
  at::Device device_;
  std::unique_ptr<Loader> loader_;
};

}  // namespace

std::unique_ptr<SavedNetwork> open_inductor_package(const std::string& path, at::Device device) {
  try {
    return std::make_unique<InductorPackage>(path, device);
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    throw Error(path + " is no package of AOTInductor for this torch and this device: " +
                text.substr(0, text.find('\n')));
  }
}

}  // namespace plumbline
