#include "device/cuda/code/code_index.h"

#include <new>

#include "core/cache_key.h"
#include "core/error.h"
#include "device/cuda/code/code_hash.h"

namespace plumbline::cuda {
namespace {

/// True if the module says of the function what the launch showed, or says nothing.
bool fits(const CubinFunction& function, const LaunchedKernel& kernel) {
  return (function.registers == 0 || function.registers == kernel.registers) &&
         function.shared_bytes == kernel.shared_static;
}

}  // namespace

bool CodeIndex::add(std::string_view cubin) {
  if (cubin.size() > most_bytes_ - bytes_) return false;
  try {
    if (!keys_.insert(cache_key(cubin)).second) return false;
    modules_.push_back({std::string(cubin), {}});
  } catch (const std::bad_alloc&) {
    return false;
  }
  bytes_ += cubin.size();
  return true;
}

void CodeIndex::read_new_modules() {
  for (; read_ < modules_.size(); ++read_) {
    Module& module = modules_[read_];
    try {
      module.cubin = read_cubin("module", module.bytes);
    } catch (const Error&) {
      module.cubin = {};  // what it holds is unknown, as of a module that was not handed over
    }
    for (std::size_t i = 0; i < module.cubin.functions.size(); ++i)
      functions_[module.cubin.functions[i].name].emplace_back(&module.cubin, i);
  }
}

std::string CodeIndex::hash_of(const LaunchedKernel& kernel) {
  read_new_modules();
  const auto found = functions_.find(kernel.symbol);
  if (found == functions_.end()) return "";
  std::set<std::string> hashes;
  for (const auto& [cubin, i] : found->second)
    if (fits(cubin->functions[i], kernel)) hashes.insert(code_hash(*cubin, cubin->functions[i]));
  return hashes.size() == 1 ? *hashes.begin() : "";
}

}  // namespace plumbline::cuda
