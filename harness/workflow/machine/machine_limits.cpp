#include "workflow/machine/machine_limits.h"

#include <fstream>

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using State = Observation::State;

constexpr const char* kVendorOfAmd = "0x1002";  // of PCI

std::string first_word(const fs::path& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

/// The kernel's release is 5.15.167.4-microsoft-standard-WSL2 there.
bool is_wsl(const fs::path& root) {
  return first_word(root / "proc/sys/kernel/osrelease").find("icrosoft") != std::string::npos;
}

bool has_amd_gpu(const fs::path& root) {
  std::error_code none;
  for (const auto& card : fs::directory_iterator(root / "sys/class/drm", none))
    if (first_word(card.path() / "device/vendor") == kVendorOfAmd) return true;
  return false;
}

/// Why the worker sees no GPU.
Observation missing_gpu(const fs::path& root) {
  if (fs::exists(root / "proc/driver/nvidia/version"))
    return {
        State::wrong, "GPU", "the NVIDIA driver is loaded, but the worker sees no GPU",
        "see nvidia-smi; CUDA 13 needs driver 580 or newer; in a container, start it with GPUs"};
  if (is_wsl(root))
    return {State::note, "GPU", "WSL shows no NVIDIA GPU: only the CPU is measured",
            "install the NVIDIA driver in Windows, and none in WSL; then see nvidia-smi"};
  if (has_amd_gpu(root))
    return {State::note, "GPU",
            "an AMD GPU, which Plumbline cannot measure: it needs CUDA; only the CPU is measured",
            "measure on a machine with an NVIDIA GPU"};
  return {State::note, "GPU", "no NVIDIA driver: only the CPU is measured", ""};
}

}  // namespace

std::vector<Observation> device_limits(const std::string& name, const Environment& environment) {
  std::vector<Observation> found;
  if (environment.mig == true)
    found.push_back(
        {State::note, "MIG",
         "MIG is on: " + name + " is a part of a GPU; all parts share its power and its clocks",
         "let nothing run on the other parts while you measure, or turn MIG off: "
         "nvidia-smi -mig 0"});
  if (environment.mps == "on")
    found.push_back({State::note, "MPS",
                     "the multi-process service runs: other programs can use " + name +
                         " at the same time as a measurement",
                     "end it while you measure: echo quit | nvidia-cuda-mps-control"});
  else if (environment.mps.starts_with("off, "))
    found.push_back({State::note, "MPS",
                     "CUDA_MPS_PIPE_DIRECTORY is set: CUDA may start in the multi-process service",
                     "unset CUDA_MPS_PIPE_DIRECTORY while you measure"});
  if (environment.virtualization == "vgpu")
    found.push_back({State::note, "vGPU",
                     name + " is a virtual GPU: other machines can use the same GPU, and nothing "
                            "here shows it",
                     "measure on a GPU that no other machine shares"});
  return found;
}

std::vector<Observation> machine_limits(const fs::path& root, bool has_gpu) {
  if (!has_gpu) return {missing_gpu(root)};
  if (!is_wsl(root)) return {};
  return {{State::note, "WSL",
           "the driver lists no processes in WSL: other programs on the GPU are not noticed",
           "close programs that use the GPU, in Windows too, or measure on Linux itself"}};
}

}  // namespace plumbline
