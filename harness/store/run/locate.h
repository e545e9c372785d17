/// Where baselines and runs are stored, and how run directories and baselines are named.
///
/// Paths only: suite/ reads plumbline.yaml and passes its settings in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/environment.h"

namespace plumbline {

/// Folders; "" = not set.
struct Locations {
  std::string baselines, runs;
};

/// The nearest file with that name in `directory` or its parents.
std::optional<std::string> find_upwards(const std::string& directory, std::string_view name);

/// Flags unchanged; else settings, relative to `base`; else `base`/baselines and `base`/runs.
/// `base`: the folder of plumbline.yaml, or of the suite without such a file.
Locations locate(const Locations& flags, const Locations& settings, const std::string& base);

/// Creates `runs_directory`/<time>-<commit>-<device>, with a number appended if that exists, and
/// returns its path. `time`: ISO 8601, colons are removed; the commit is cut to 10 characters.
/// Throws Error.
std::string new_run_directory(const std::string& runs_directory, std::string_view time,
                              std::string_view commit, std::string_view device);

/// Name of a device in file names: lower case, [a-z0-9-]; `NVIDIA H200` is nvidia-h200 in every
/// class. CPUs are named by their class and begin with `cpu-`. Throws Error if the environment has
/// no device class.
std::string device_slug(const Environment& environment);

/// Possible folder names of a device class, in the order in which they are tried: the device's
/// (nvidia-h200), the class's (nvidia-h200-700-w-ecc-on), and one with a hash of the class.
std::vector<std::string> device_folders(const Environment& environment);

/// A file name made from any `text`: characters outside [A-Za-z0-9._-], and a leading dot, become
/// %XX.
std::string file_name_of(std::string_view text);

}  // namespace plumbline
