/// NVRTC: CUDA source to PTX and machine code at run time, without a GPU.
///
/// libnvrtc is opened at run time, beside the CUDA run time that LibTorch brings, so that the
/// worker also starts without it. CUDA's headers are those beside the library. If CCCL's headers
/// (<cub/…>, <cuda/std/…>) are not there, they come from the toolkit of this build. Knows no case
/// and no cache. https://docs.nvidia.com/cuda/nvrtc
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace plumbline::nvrtc {

struct Job {
  std::string path;                  // of the source: named in messages; its folder is searched for
                                     // includes
  std::string text;                  // the source
  std::vector<std::string> options;  // all of them, including the architecture
  std::string kernel;                // its name in C++: `ours::scale<float, 4>`
};

struct Compiled {
  std::string symbol;  // the kernel's name in ptx and image
  std::string ptx, image;
  bool operator==(const Compiled&) const = default;
};

class Compiler {
 public:
  /// Throws Unsupported if there is no libnvrtc.
  Compiler();
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  /// "13.0".
  std::string version() const;
  /// Identifies builds of the same version: the library's file with its size and date.
  const std::string& build() const { return build_; }
  /// Folders of CUDA's own headers, such as cuda_fp16.h.
  const std::vector<std::string>& toolkit_folders() const { return toolkit_folders_; }

  /// Throws Error with NVRTC's message, which names the source's file and lines, or if the source
  /// has no such kernel.
  Compiled compile(const Job& job) const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  std::string build_;
  std::vector<std::string> toolkit_folders_;
};

}  // namespace plumbline::nvrtc
