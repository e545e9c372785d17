/// The Python environment that this program was installed into by pip: its torch, and the workers
/// that are there for it.
///
/// Reads the names of folders and torch/version.py; asks Python where torch is only where it is not
/// beside our package.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct Torch {
  std::string version;  // 2.11.0+cu130
  std::string cuda;     // 13.0, "" for a torch without CUDA
  std::string folder;   // that holds torch/ and nvidia/
};

struct PythonEnvironment {
  std::string packages;  // the folder that holds our package
  std::string python;    // the program, a name or a path
};

/// Of the program in `folder` (<prefix>/bin); nothing for one that pip did not install.
std::optional<PythonEnvironment> environment_of_program(const std::string& folder);

/// The torch that the environment's Python imports.
std::optional<Torch> torch_of(const PythonEnvironment& environment);

/// "torch 2.11.0+cu130 in <folder>".
std::string in_words(const Torch& torch);

/// What torch/version.py says.
Torch read_torch_version(std::string_view text);

/// What a worker is made for: torch-2.11-cu13. Workers lie in folders of that name.
std::string worker_name_for(const Torch& torch);

/// Of the environment, for the torch that is there; lets the worker find that torch (it sets
/// LD_LIBRARY_PATH) where the two are not in one folder. Nothing where no worker is installed.
/// Throws Error, in words for the user, where those that are there do not fit.
std::optional<std::string> worker_of(const PythonEnvironment& environment);

/// The Python that functions of suites run in.
struct HostPython {
  std::string program, version, triton;  // triton: its version, "" = it has none
};

/// `named`, else the first that has torch of the active environment's, this program's environment's
/// and python3. Throws Error saying which were tried.
HostPython find_python(const std::string& named, const std::string& program_folder);

/// How to get a worker for the program in `folder`, as a command.
std::string how_to_get_worker(const std::string& folder);

}  // namespace plumbline
