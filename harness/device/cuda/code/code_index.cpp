#include "device/cuda/code/code_index.h"

#include <algorithm>
#include <new>

#include "core/cache_key.h"
#include "core/error.h"
#include "device/cuda/code/code_hash.h"

namespace plumbline::cuda {
namespace {

/// CUPTI may name no fewer registers of a thread than this: on an H200, 16 for kernels that need 4
/// and 12, and 28 for one that needs 28.
constexpr int kRegistersLeast = 16;

/// True if the module says of the function what the launch showed, or says nothing.
bool fits(const CubinFunction& function, const LaunchedKernel& kernel) {
  const bool takes_block = function.block[0] == 0 || function.block == kernel.block;
  return (function.registers == 0 || function.registers == kernel.registers ||
          std::max(function.registers, kRegistersLeast) == kernel.registers) &&
         function.shared_bytes == kernel.shared_static && takes_block;
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
      module.cubin = read_cubin("module", module.bytes, CubinSource::cupti);
    } catch (const Error&) {
      module.cubin = {};  // what it holds is unknown, as of a module that was not handed over
    }
    for (std::size_t i = 0; i < module.cubin.functions.size(); ++i)
      functions_[module.cubin.functions[i].name].emplace_back(&module.cubin, i);
  }
}

std::optional<IndexedCode> CodeIndex::find(const LaunchedKernel& kernel) {
  read_new_modules();
  const auto named = functions_.find(kernel.symbol);
  if (named == functions_.end()) return std::nullopt;
  std::optional<IndexedCode> found;
  for (const auto& [cubin, i] : named->second) {
    const CubinFunction& function = cubin->functions[i];
    if (!fits(function, kernel)) continue;
    std::string hash = code_hash(*cubin, function);
    if (found && found->hash != hash) return std::nullopt;
    if (!found) found = IndexedCode{cubin, &function, std::move(hash)};
  }
  return found;
}

std::string CodeIndex::hash_of(const LaunchedKernel& kernel) {
  const auto found = find(kernel);
  return found ? found->hash : "";
}

}  // namespace plumbline::cuda
