#include "backends/kernel/machine_code.h"

#include <algorithm>

#include "backends/unsupported.h"
#include "core/error.h"
#include "device/cuda/code/cubin.h"

namespace plumbline {

MachineCode read_machine_code(const std::string& path, std::string_view bytes) {
  const cuda::Cubin cubin = cuda::read_cubin(path, bytes);
  MachineCode code{architecture_named(cubin.architecture), {}};
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
