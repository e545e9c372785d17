#include "device/cuda/cupti/loaded_code.h"

#include <array>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "device/cuda/code/kept_code.h"
#include "device/cuda/cupti/cupti_library.h"

namespace plumbline::cuda {

struct LoadedCode::Modules {
  CuptiLibrary cupti;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiEnableCallback) enable = nullptr;
  CUpti_SubscriberHandle subscriber = nullptr;

  mutable std::mutex mutex;  // threads load modules
  CodeIndex index;
  std::string kept_in;  // "": code is not kept
  using Question = std::tuple<std::string, int, int, std::array<int, 3>>;
  std::map<Question, std::string> answers;  // until another module is loaded
};

namespace {

/// CUPTI and the driver call it: no exception may leave it.
void CUPTIAPI take_module(void* user_data, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) noexcept {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
  const auto* const resource = static_cast<const CUpti_ResourceData*>(data);
  const auto* const module =
      static_cast<const CUpti_ModuleResourceData*>(resource->resourceDescriptor);
  if (module == nullptr || module->pCubin == nullptr) return;
  auto& modules = *static_cast<LoadedCode::Modules*>(user_data);
  const std::lock_guard lock(modules.mutex);
  if (modules.index.add({module->pCubin, module->cubinSize})) modules.answers.clear();
}

}  // namespace

LoadedCode::LoadedCode() : modules_(std::make_unique<Modules>()) {
  Modules& modules = *modules_;
  modules.cupti.load(modules.subscribe, "cuptiSubscribe");
  modules.cupti.load(modules.unsubscribe, "cuptiUnsubscribe");
  modules.cupti.load(modules.enable, "cuptiEnableCallback");
  modules.cupti.check(modules.subscribe(&modules.subscriber, take_module, &modules),
                      "cuptiSubscribe");
  const CUptiResult enabled = modules.enable(1, modules.subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                                             CUPTI_CBID_RESOURCE_MODULE_LOADED);
  if (enabled != CUPTI_SUCCESS) modules.unsubscribe(modules.subscriber);
  modules.cupti.check(enabled, "cuptiEnableCallback");
}

LoadedCode::~LoadedCode() { modules_->unsubscribe(modules_->subscriber); }

void LoadedCode::keep_in(std::string folder) {
  const std::lock_guard lock(modules_->mutex);
  modules_->kept_in = std::move(folder);
  modules_->answers.clear();  // their code is kept when it is asked for again
}

std::string LoadedCode::hash_of(const LaunchedKernel& kernel) const {
  Modules& modules = *modules_;
  const std::lock_guard lock(modules.mutex);
  const Modules::Question question{kernel.symbol, kernel.registers, kernel.shared_static,
                                   kernel.block};
  const auto known = modules.answers.find(question);
  if (known != modules.answers.end()) return known->second;
  const auto found = modules.index.find(kernel);
  if (found && !modules.kept_in.empty()) keep_code(*found, modules.kept_in);
  return modules.answers[question] = found ? found->hash : "";
}

}  // namespace plumbline::cuda
