#include <c10/cuda/CUDAFunctions.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "backends/code_files.h"
#include "backends/libtorch/applied_settings.h"
#include "backends/libtorch/libtorch.h"
#include "backends/module/saved_network.h"
#include "core/op/techniques.h"
#include "worker/workloads/declared_problem.h"
#include "worker/workloads/workloads.h"

namespace plumbline {
namespace {

bool is_package(const std::string& path) { return path.ends_with(".pt2"); }

/// Throws Unsupported for a technique: the file says how it computes.
void refuse_techniques(const Params& params) {
  for (const ParamSpec& param : technique_params())
    if (const Value& value = params.at(param.name); param.fallback && value != *param.fallback)
      throw Unsupported(param.name + "=" + to_text(value) +
                        ": a network in a file computes its forward() as it was saved; networks "
                        "that a function in Python makes have steps and techniques");
}

/// `op: module` of a suite whose source is a file .pt or .pt2.
class SavedNetworkWorkload final : public DeclaredProblem {
 public:
  SavedNetworkWorkload(const Case& subject, Device& device, bool is_cuda, std::uint64_t seed)
      : DeclaredProblem(subject, device, is_cuda, seed), file_(*subject.declaration->network) {
    refuse_techniques(subject.params);
    network_ = opened(file_.source);
    if (!file_.reference.empty()) reference_ = opened(file_.reference);
  }

  void make_inputs() override { make_values(); }
  void drop_inputs() override { drop_values(); }
  Tensors inputs() const override { return tensors_in(arguments()); }

  Tensors reference() override {
    if (has_declared_reference()) return declared_reference();
    SavedNetwork& network = reference_ ? *reference_ : *network_;
    Tensors expected = network.run_in_float64(map_tensors(arguments(), exact));
    for (at::Tensor& tensor : expected)
      if (at::isFloatingType(tensor.scalar_type())) tensor = exact(tensor);
    return expected;
  }
  std::string reference_in_words() const override {
    if (has_declared_reference()) return DeclaredProblem::reference_in_words();
    return reference_ ? "the suite's reference_source in float64" : "the same network in float64";
  }

  /// The first time, it runs on copies: the executor of TorchScript optimizes in the first calls.
  Prepared prepare() override {
    const Implementation plain = [this](const Problem&, const Operands&) -> Prepared {
      rehearse();
      auto results = std::make_shared<Tensors>();
      return {.launch = [this, results, given = arguments()] { *results = network_->run(given); },
              .results = [results] { return *results; },
              .clear = [results] { results->clear(); },
              .result_handles = 2,
              .keeps_no_values = true};
    };
    return with_library_settings(plain)(Problem(subject()), {});
  }

  bool is_mutating() const override { return false; }
  bool may_be_narrower() const override { return false; }
  bool has_operators_of_reference() const override { return true; }
  /// As of single operators: what a network adds up disturbs its reference.
  double rounding(const Tensors&) const override {
    const DTypeInfo& type = info(*dtype_named(std::get<std::string>(subject().params.at("dtype"))));
    return type.bytes == 2 ? type.epsilon / 2 : 2 * type.epsilon;
  }
  double compile_s() const override { return compile_s_; }

  std::vector<FileRef> files() const override { return {file_ref(file_.source)}; }

 protected:
  bool copies_inputs() const override { return true; }

 private:
  std::unique_ptr<SavedNetwork> opened(const std::string& path) const {
    const at::Device device =
        is_cuda() ? at::Device(at::kCUDA, c10::cuda::current_device()) : at::Device(at::kCPU);
    if (is_package(path)) return open_inductor_package(path, device);
    const std::string& dtype = std::get<std::string>(subject().params.at("dtype"));
    return open_torch_script(path, scalar_type(*dtype_named(dtype)), device);
  }

  /// In the order of the suite, which is that of forward().
  Stack arguments() const {
    Stack given;
    for (const Argument& argument : subject().declaration->args)
      given.push_back(values().at(argument.name));
    return given;
  }

  void rehearse() {
    constexpr int kCalls = 3;
    if (!std::isnan(compile_s_)) return;
    using Clock = std::chrono::steady_clock;
    const Stack copies =
        map_tensors(arguments(), [](const at::Tensor& tensor) { return tensor.clone(); });
    const auto begin = Clock::now();
    network_->run(copies);
    compile_s_ = std::chrono::duration<double>(Clock::now() - begin).count();
    for (int i = 1; i < kCalls; ++i) network_->run(copies);
  }

  const NetworkFile& file_;
  std::unique_ptr<SavedNetwork> network_, reference_;
  double compile_s_ = kUnknown;
};

}  // namespace

std::unique_ptr<Workload> saved_network_workload(const Case& subject, Device& device, bool is_cuda,
                                                 std::uint64_t seed) {
  return std::make_unique<SavedNetworkWorkload>(subject, device, is_cuda, seed);
}

}  // namespace plumbline
