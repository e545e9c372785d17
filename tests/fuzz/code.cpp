#include <array>

#include "backends/kernel/parameters.h"
#include "core/error.h"
#include "device/cuda/code/code_index.h"
#include "device/cuda/code/cubin.h"
#include "fuzz/targets.h"

namespace plumbline::fuzz {
namespace {

void read_cubin(std::string_view input, const std::string&) {
  cuda::CodeIndex index;
  index.add(input);
  const cuda::Cubin cubin = cuda::read_cubin("x.cubin", input);
  for (const cuda::CubinFunction& function : cubin.functions)
    index.hash_of({std::string(function.name), function.registers, function.shared_bytes, {}});
}

void read_ptx(std::string_view input, const std::string&) {
  for (const std::string& entry : entries_in_ptx(input)) {
    const std::optional<std::vector<KernelParameter>> parameters = parameters_in_ptx(input, entry);
    if (parameters) mismatch({}, {}, *parameters, entry);
  }
}

}  // namespace

std::span<const Target> code_targets() {
  static constexpr std::array kTargets = {Target{"cubin", read_cubin}, Target{"ptx", read_ptx}};
  return kTargets;
}

}  // namespace plumbline::fuzz
