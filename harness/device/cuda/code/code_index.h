/// Finds the code of launched kernels in modules. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/cuda/code/cubin.h"

namespace plumbline::cuda {

/// What a launch shows of a kernel. Modules may have kernels of one name, as Triton's do.
struct LaunchedKernel {
  std::string symbol;     // mangled
  int registers = 0;      // per thread, as CUPTI counts them: at least 16
  int shared_static = 0;  // bytes
  std::array<int, 3> block{};
};

/// A kernel in a module of an index; valid as long as that.
struct IndexedCode {
  const Cubin* cubin = nullptr;
  const CubinFunction* function = nullptr;
  std::string hash;  // code_hash()
};

class CodeIndex {
 public:
  explicit CodeIndex(std::size_t most_bytes = std::size_t{1} << 30) : most_bytes_(most_bytes) {}

  /// Keeps a copy of a module. False for one that it has already, for one beyond `most_bytes` in
  /// all, and without memory.
  bool add(std::string_view cubin);

  /// The kernel that has the name, registers and shared memory of the launch, and takes its block.
  /// Nothing if no module has such a kernel, or if several have one with other code.
  std::optional<IndexedCode> find(const LaunchedKernel& kernel);
  /// The hash of that kernel; "" for nothing.
  std::string hash_of(const LaunchedKernel& kernel);

 private:
  void read_new_modules();

  struct Module {
    std::string bytes;
    Cubin cubin;  // views into the bytes
  };
  std::size_t most_bytes_, bytes_ = 0, read_ = 0;  // read_: modules whose functions are known
  std::deque<Module> modules_;
  std::set<std::string> keys_;  // of their content
  std::unordered_map<std::string_view, std::vector<std::pair<const Cubin*, std::size_t>>>
      functions_;
};

}  // namespace plumbline::cuda
