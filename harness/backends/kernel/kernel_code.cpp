#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "backends/code_files.h"
#include "backends/custom_code.h"
#include "backends/files.h"
#include "backends/kernel/architecture.h"
#include "backends/kernel/kernel_build.h"
#include "backends/kernel/limits.h"
#include "backends/kernel/loaded_kernel.h"
#include "backends/kernel/machine_code.h"
#include "backends/kernel/parameters.h"
#include "backends/kernel/ptx_assembler.h"
#include "backends/libtorch/libtorch.h"
#include "backends/nvrtc/compile_cache.h"
#include "backends/nvrtc/source_text.h"
#include "core/error.h"
#include "core/expression/generated_tensor.h"
#include "device/cuda/kernels.h"

namespace plumbline {
namespace {

constexpr const char* kCacheVariable = "PLUMBLINE_CACHE";
/// Compute capability 9.0 and later have architecture-specific code with more instructions.
constexpr int kFirstSpecific = 90;
/// Every GPU with clusters takes this many blocks; more have to be allowed.
constexpr std::int64_t kPortableCluster = 8;

std::string cache_folder() {
  const char* const folder = std::getenv(kCacheVariable);
  return folder == nullptr || *folder == '\0' ? "" : std::string(folder) + "/kernels";
}

std::string architecture_here() {
  int device = 0;
  cudaDeviceProp properties{};
  cuda::check(cudaGetDevice(&device), "cudaGetDevice");
  cuda::check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  const int number = properties.major * 10 + properties.minor;
  return "sm_" + std::to_string(number) + (number >= kFirstSpecific ? "a" : "");
}

bool is_ptx(const KernelCode& kernel) { return kernel.source.ends_with(".ptx"); }

/// Throws Unsupported for PTX of GPUs that are not `here`.
void check_target(const std::string& path, const std::string& ptx, const Architecture& here) {
  const auto target = target_in_ptx(ptx);
  if (!target) throw Error(path + " is no PTX: it has no line '.target sm_…'");
  if (const std::string wrong = ptx_misfit(*target, here); !wrong.empty())
    throw Unsupported(path + ' ' + wrong);
}

/// A kernel ready to launch, and the files that it was made from.
struct Made {
  nvrtc::Compiled compiled;
  std::vector<FileRef> files;
};

/// Reading a source does not always tell which files it includes. Then the compiled code stands for
/// them.
std::vector<FileRef> files_of(const nvrtc::Compiler& compiler, const nvrtc::Job& job,
                              const nvrtc::Compiled& compiled) {
  std::vector<FileRef> files{file_ref(job.path)};
  if (const auto included = nvrtc::includes_of(compiler, job))
    for (const std::string& path : *included) files.push_back(file_ref(path));
  else
    files.push_back({real_path(job.path) + " (compiled)", stable_hash_text(compiled.image)});
  return files;
}

/// Compiles the source, or reads the binary and its description of itself.
Made made(const KernelCode& kernel, const Params& params, const std::string& architecture) {
  std::string file = read_file(kernel.source);
  if (file.empty()) throw Error(kernel.source + " cannot be read, or is empty");
  if (is_source(kernel)) {
    const std::string text = nvrtc::source_text(kernel.source, std::move(file));
    const nvrtc::Compiler compiler;
    const auto job = compile_job(kernel, params, text, architecture, compiler.toolkit_folders());
    nvrtc::Compiled compiled = compile_cached(compiler, job, cache_folder());
    std::vector<FileRef> files = files_of(compiler, job, compiled);
    return {std::move(compiled), std::move(files)};
  }
  const auto here = architecture_named(architecture);
  if (!here) throw Error("-arch=" + architecture + ": found no architecture; one is sm_90a");
  if (is_ptx(kernel))
    check_target(kernel.source, file, *here);
  else
    check_machine_code(kernel.source, file, kernel.entry, *here);
  return {{kernel.entry, is_ptx(kernel) ? file : "", file}, {file_ref(kernel.source)}};
}

/// One for each argument; nullopt if unknown or if there is none.
using ElementTypes = std::vector<std::optional<DType>>;

/// The types that expressions tell: of a generator, of a declared output.
ElementTypes element_types(const Case& subject) {
  ElementTypes types;
  for (const Argument& argument : subject.declaration->args) {
    std::optional<DType>& type = types.emplace_back();
    const Argument::Role role = argument.role;
    if (role == Argument::Role::output || role == Argument::Role::scratch)
      type = dtype_of_output(argument, subject.params);
    else if (role != Argument::Role::scalar)
      type = generated_dtype(*parse_expression(argument.expression), subject.params);
  }
  return types;
}

ElementTypes element_types(const BoundTensors& tensors) {
  ElementTypes types;
  for (const at::Tensor& tensor : tensors) {
    std::optional<DType>& type = types.emplace_back();
    for (const DTypeInfo& row : kDTypes)  // complex numbers and the like have no DType
      if (tensor.defined() && scalar_type(row.dtype) == tensor.scalar_type()) type = row.dtype;
  }
  return types;
}

void check_parameters(const Case& subject, const ElementTypes& types,
                      const std::vector<KernelParameter>& parameters, const std::string& symbol) {
  std::vector<Argument> arguments = subject.declaration->args;
  for (Argument& argument : arguments)
    if (argument.role == Argument::Role::scalar)
      argument.type = scalar_type_of(argument, subject.params).name;
  const std::string found = mismatch(arguments, types, parameters, symbol);
  if (!found.empty())
    throw Error("the arguments do not fit the kernel '" + subject.declaration->kernel->entry +
                "' of " + subject.declaration->kernel->source + ": " + found);
}

Made made_and_checked(const Case& subject, const std::string& architecture) {
  const KernelCode& kernel = *subject.declaration->kernel;
  Made result = made(kernel, subject.params, architecture);
  const nvrtc::Compiled& compiled = result.compiled;
  const LaunchShape shape = launch_shape(kernel, subject.params);
  if (const std::string beyond = beyond_limits(shape, kAnyGpu); !beyond.empty())
    throw Unsupported(beyond);
  LaunchLimits limits = kAnyGpu;
  limits.who_takes = architecture + " takes";
  if (const auto known = architecture_named(architecture))
    limits.shared_bytes = shared_bytes_of(*known);
  if (const std::string beyond = beyond_limits(shape, limits); !beyond.empty())
    throw Unsupported(beyond);
  for (const Argument& argument : subject.declaration->args)
    if (argument.role == Argument::Role::scalar) scalar_bytes(argument, subject.params);
  if (compiled.ptx.empty()) return result;
  const auto parameters = parameters_in_ptx(compiled.ptx, compiled.symbol);
  if (!parameters) {
    std::string known;
    for (const std::string& entry : entries_in_ptx(compiled.ptx))
      known += (known.empty() ? "" : ", ") + entry;
    throw Error("'" + kernel.entry + "' is no kernel of " + kernel.source + "; it has: " + known);
  }
  check_parameters(subject, element_types(subject), *parameters, compiled.symbol);
  return result;
}

/// The values that a launch passes to the kernel, in order.
class Arguments {
 public:
  Arguments(const Case& subject, const BoundTensors& tensors) {
    const std::vector<Argument>& declared = subject.declaration->args;
    values_.resize(declared.size());
    for (std::size_t i = 0; i < declared.size(); ++i) {
      if (declared[i].role == Argument::Role::scalar) {
        values_[i] = scalar_bytes(declared[i], subject.params);
      } else {
        void* const address = tensors[i].data_ptr();
        std::memcpy(values_[i].data(), &address, sizeof address);
      }
      addresses_.push_back(values_[i].data());
    }
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void** addresses() { return addresses_.data(); }

 private:
  std::vector<std::array<unsigned char, 8>> values_;
  std::vector<void*> addresses_;
};

/// Throws Error with line numbers if PTX cannot be assembled. Returns why assembling was not tried,
/// or "".
std::string assembled(const KernelCode& kernel, const nvrtc::Compiled& compiled,
                      const std::string& architecture) {
  // Architecture-specific code is assembled for its own target: "sm_90" on the command line means
  // that GPU.
  const Architecture target = target_in_ptx(compiled.ptx).value();
  const Architecture here = architecture_named(architecture).value();
  try {
    assemble(kernel.source, compiled.ptx, name_of(target.suffix == 0 ? here : target));
  } catch (const Unsupported& reason) {
    return reason.what();
  }
  return "";
}

/// The driver does not tell where PTX is wrong; the assembler names the line.
std::shared_ptr<LoadedKernel> loaded(const KernelCode& kernel, const nvrtc::Compiled& compiled) {
  try {
    return std::make_shared<LoadedKernel>(compiled.image, compiled.symbol, kernel.source);
  } catch (const Error&) {
    if (is_ptx(kernel)) assembled(kernel, compiled, architecture_here());
    throw;
  }
}

class Kernel final : public CustomCode {
 public:
  explicit Kernel(const Case& subject)
      : subject_(subject),
        made_(made_and_checked(subject, architecture_here())),
        shape_(launch_shape(*subject.declaration->kernel, subject.params)),
        loaded_(loaded(*subject.declaration->kernel, made_.compiled)) {
    check_parameters(subject, element_types(subject), loaded_->parameters(), made_.compiled.symbol);
    LaunchShape plain = shape_;
    plain.is_cooperative = false;
    require_possible(plain);
    if (shape_.shared_bytes > 0) loaded_->allow_shared(shape_.shared_bytes);
    if (shape_.blocks_of_cluster() > kPortableCluster) loaded_->allow_large_clusters();
    if (shape_.is_cooperative) require_possible(shape_);  // how many fit is known only now
  }

  std::vector<FileRef> files() const override { return made_.files; }

  void require_possible(const LaunchShape& shape) const {
    if (const std::string beyond = beyond_limits(shape, loaded_->limits(shape)); !beyond.empty())
      throw Unsupported(beyond);
  }

  Launch bind(const BoundTensors& tensors) override {
    // An operator's result in 'args' has a type that is known only now.
    check_parameters(subject_, element_types(tensors), loaded_->parameters(),
                     made_.compiled.symbol);
    auto arguments = std::make_shared<Arguments>(subject_, tensors);
    return [arguments, tensors, loaded = loaded_, shape = shape_] {
      loaded->launch(shape, arguments->addresses(), c10::cuda::getCurrentCUDAStream());
    };
  }

 private:
  const Case& subject_;
  Made made_;
  LaunchShape shape_;
  std::shared_ptr<LoadedKernel> loaded_;
};

}  // namespace

std::string check_kernel(const Case& subject, const std::string& architecture) {
  const nvrtc::Compiled compiled = made_and_checked(subject, architecture).compiled;
  const KernelCode& kernel = *subject.declaration->kernel;
  return is_ptx(kernel) ? assembled(kernel, compiled, architecture) : "";
}

std::unique_ptr<CustomCode> open_kernel(const Case& subject, bool is_cuda) {
  if (is_cuda) return std::make_unique<Kernel>(subject);
  if (!is_source(*subject.declaration->kernel)) throw Unsupported("a kernel needs a GPU");
  check_kernel(subject, kCheckArchitecture);
  throw Unsupported(std::string("a kernel needs a GPU; this one compiles for ") +
                    kCheckArchitecture);
}

}  // namespace plumbline
