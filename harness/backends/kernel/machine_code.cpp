#include "backends/kernel/machine_code.h"

#include <algorithm>

#include "backends/implementation.h"
#include "core/error.h"
#include "device/cuda/code/cubin.h"

namespace plumbline {
namespace {

/// Bits of the architecture in e_flags, by the version of CUDA's ABI in the header.
struct FlagLayout {
  unsigned char version;
  unsigned shift;     // of its number
  unsigned specific;  // the bit that marks architecture-specific code
};
constexpr FlagLayout kLayouts[] = {{7, 0, 0x800}, {8, 8, 0x8}};

std::optional<Architecture> architecture_of(const cuda::Cubin& cubin) {
  for (const FlagLayout& layout : kLayouts)
    if (layout.version == cubin.abi_version)
      return Architecture{int(cubin.flags >> layout.shift & 0xff),
                          (cubin.flags & layout.specific) != 0 ? 'a' : '\0'};
  return std::nullopt;
}

}  // namespace

MachineCode read_machine_code(const std::string& path, std::string_view bytes) {
  const cuda::Cubin cubin = cuda::read_cubin(path, bytes);
  MachineCode code{architecture_of(cubin), {}};
  for (const cuda::CubinFunction& function : cubin.functions)
    code.functions.emplace_back(function.name);
  return code;
}

void check_machine_code(const std::string& path, std::string_view bytes, const std::string& entry,
                        const Architecture& here) {
  const MachineCode code = read_machine_code(path, bytes);
  if (code.architecture)
    if (const std::string wrong = machine_code_misfit(*code.architecture, here); !wrong.empty())
      throw Unsupported(path + ' ' + wrong);
  if (std::ranges::find(code.functions, entry) != code.functions.end()) return;
  std::string known;
  for (const std::string& name : code.functions) known += (known.empty() ? "" : ", ") + name;
  throw Error("'" + entry + "' is no kernel of " + path +
              (known.empty() ? "; it has none" : "; it has: " + known));
}

}  // namespace plumbline
