#include <array>

#include "backends/kernel/machine_code.h"
#include "backends/kernel/parameters.h"
#include "backends/nvrtc/included_files.h"
#include "backends/nvrtc/kernels_in_source.h"
#include "backends/nvrtc/source_text.h"
#include "backends/unsupported.h"
#include "core/error.h"
#include "device/cuda/code/code_index.h"
#include "device/cuda/code/cubin.h"
#include "fuzz/targets.h"
#include "workflow/setup/linked_libraries.h"

namespace plumbline::fuzz {
namespace {

constexpr Architecture kHopper{90, 'a'}, kBlackwell{121, 'f'};

void read_cubin(std::string_view input, const std::string&) {
  cuda::CodeIndex index;
  index.add(input);
  const cuda::Cubin cubin = cuda::read_cubin("x.cubin", input);
  for (const cuda::CubinFunction& function : cubin.functions)
    index.hash_of({std::string(function.name), function.registers, function.shared_bytes, {}});
  const MachineCode code = read_machine_code("x.cubin", input);
  demand(code.functions.size() == cubin.functions.size(), "both read the same functions");
  for (const Architecture& here : {kHopper, kBlackwell}) {
    shared_bytes_of(here);
    try {
      for (const std::string& entry : code.functions)
        check_machine_code("x.cubin", input, entry, here);
    } catch (const Unsupported&) {  // code for another GPU was read as well
    }
  }
  bool is_refused = false;
  try {
    check_machine_code("x.cubin", input, "no such kernel", code.architecture.value_or(kHopper));
  } catch (const Error&) {
    is_refused = true;
  }
  demand(is_refused, "a kernel that the file lacks is a mistake");
}

/// As many tensors and numbers as the kernel has parameters, in turn, the first one at `begin`.
std::string fitted(const std::vector<KernelParameter>& parameters, const std::string& entry,
                   std::size_t begin) {
  std::vector<Argument> arguments;
  std::vector<std::optional<DType>> types;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool is_tensor = (i + begin) % 2 == 0;
    const Argument::Role role = is_tensor ? Argument::Role::input : Argument::Role::scalar;
    arguments.push_back({"a" + std::to_string(i), "1", role, is_tensor ? "" : "int32"});
    types.push_back(is_tensor ? std::optional(DType::float32) : std::nullopt);
  }
  return mismatch(arguments, types, parameters, entry);
}

void read_ptx(std::string_view input, const std::string&) {
  for (const std::string& entry : entries_in_ptx(input)) {
    const std::optional<std::vector<KernelParameter>> parameters = parameters_in_ptx(input, entry);
    for (const std::size_t begin : {0, 1})
      if (parameters) fitted(*parameters, entry, begin);
  }
  if (const auto target = target_in_ptx(input))
    for (const Architecture& here : {kHopper, kBlackwell}) ptx_misfit(*target, here);
}

/// CUDA source, and a file that it may include.
void read_source(std::string_view input, const std::string& folder) {
  const std::vector<std::string> files = parts(input, 2);
  written(folder, "include/b.h", files[1]);
  const std::string path = written(folder, "k.cu", files[0]);
  const std::string text = nvrtc::source_text(path, files[0]);
  nvrtc::kernels_in_source(text);
  nvrtc::included_files(path, text, {folder + "/include"});
}

/// A program or library in ELF.
void read_linked(std::string_view input, const std::string& folder) {
  linked_libraries(written(folder, "program", input));
}

}  // namespace

std::span<const Target> code_targets() {
  static constexpr std::array kTargets = {Target{"cubin", read_cubin}, Target{"ptx", read_ptx},
                                          Target{"source", read_source},
                                          Target{"linked", read_linked}};
  return kTargets;
}

}  // namespace plumbline::fuzz
