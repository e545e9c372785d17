/// What of a machine makes times doubtful, or keeps Plumbline from measuring at all: shared GPUs,
/// Windows below Linux, GPUs of others than NVIDIA.
///
/// Tells only what can be read: from a worker's record of its device, and from files of Linux.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/run/environment.h"
#include "workflow/machine/examination.h"

namespace plumbline {

/// Of a device: MIG, the multi-process service (MPS), a virtual GPU. `name`: cuda:0.
std::vector<Observation> device_limits(const std::string& name, const Environment& environment);

/// Of the machine whose files are below `root`: WSL, and where the worker sees no GPU
/// (`has_gpu`), why there may be none.
std::vector<Observation> machine_limits(const std::filesystem::path& root, bool has_gpu);

}  // namespace plumbline
