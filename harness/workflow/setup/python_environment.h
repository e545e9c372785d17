/// The Python environment into which pip installed this program: its torch, and the workers
/// installed for it.
///
/// Reads folder names and torch/version.py. Asks Python for torch only if it is not beside our
/// package.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct Torch {
  std::string version;  // 2.11.0+cu130
  std::string cuda;     // 13.0, "" for a torch without CUDA
  std::string folder;   // holds torch/ and nvidia/
};

struct PythonEnvironment {
  std::string packages;  // the folder with our package
  std::string python;    // the program: a name or a path
};

/// Where pip puts packages for an installation in `prefix`, the prefix first (pip install
/// --target). Not all of them exist.
std::vector<std::filesystem::path> package_folders(const std::filesystem::path& prefix);

/// The environment of the program in `folder` (<prefix>/bin); nothing if pip did not install it.
std::optional<PythonEnvironment> environment_of_program(const std::string& folder);

/// The environment in `prefix`, as venv or conda makes one. Throws Error, for the user, if there is
/// none.
PythonEnvironment environment_in(const std::string& prefix);

/// The torch that the environment's Python imports.
std::optional<Torch> torch_of(const PythonEnvironment& environment);

/// For people: "torch 2.11.0+cu130 in <folder>".
std::string in_words(const Torch& torch);

/// Reads torch/version.py.
Torch read_torch_version(std::string_view text);

/// The name of a worker's folder: the torch that it was made for, as in torch-2.11-cu13.
std::string worker_name_for(const Torch& torch);

struct InstalledWorker {
  std::string path;
  std::string library_path;  // LD_LIBRARY_PATH that it needs to find torch; "" = none
};

/// The environment's worker for the installed torch. Nothing if no worker is installed. Throws
/// Error, for the user, if none of the installed workers fits.
std::optional<InstalledWorker> worker_of(const PythonEnvironment& environment);

/// The Python in which functions of suites run.
struct HostPython {
  std::string program, version, triton;  // triton: its version, "" = not installed
};

/// `named`, or else the first Python with torch: of the active environment, of this program's
/// environment, or python3. Throws Error that names those tried.
HostPython find_python(const std::string& named, const std::string& program_folder);

/// The same for the environment in `prefix`, in which no worker is installed.
std::string how_to_get_worker_into(const std::string& prefix);

/// The command that installs a worker for the program in `folder`.
std::string how_to_get_worker(const std::string& folder);

}  // namespace plumbline
