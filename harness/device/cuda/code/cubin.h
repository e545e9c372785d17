/// A cubin: an ELF file with machine code for NVIDIA's GPUs.
///
/// System V ABI, "Object Files". What CUDA adds comes from LLVM's BinaryFormat/ELF.h and from
/// cubins of nvcc 13 and Triton 3.6. Reads where the code is; decode.h reads the code. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::cuda {

/// A place in the code that the driver fills in when it loads the module.
struct Relocation {
  std::uint64_t offset = 0;  // from the beginning of the function, in bytes
  std::uint32_t type = 0;
  std::int64_t addend = 0;
  std::string_view symbol;
};

/// A kernel, or a function that kernels call.
struct CubinFunction {
  std::string_view name;  // mangled
  std::string_view code;
  std::string_view constants;  // what the compiler put into a constant bank of its own, or empty
  std::vector<Relocation> relocations;
  int registers = 0;           // per thread; 0 = the file does not say
  int shared_bytes = 0;        // of static shared memory
  std::array<int, 3> block{};  // the only one that it may be launched with; 0: any
};

/// Most of it are views into the bytes that it was read from.
struct Cubin {
  std::string architecture;  // sm_90a; "" for a version of CUDA's ABI that is not known
  std::string data;          // __constant__ and initialised variables of the module
  std::vector<CubinFunction> functions;

  const CubinFunction* find(std::string_view function) const;
};

/// CUPTI's sizes of some modules end before what their headers name. Program headers come last, and
/// reading code needs none.
enum class CubinSource { file, cupti };

/// Throws Error that begins with `name` if the bytes are another kind of file or are cut off.
Cubin read_cubin(const std::string& name, std::string_view bytes,
                 CubinSource source = CubinSource::file);

}  // namespace plumbline::cuda
