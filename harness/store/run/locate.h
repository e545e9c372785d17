/// Where baselines and runs live, and how run directories and baselines are named.
///
/// Paths only: plumbline.yaml is read by suite/, which hands its settings in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/environment.h"

namespace plumbline {

/// Folders; "" = not said.
struct Locations {
  std::string baselines, runs;
};

/// The nearest file of that name in `directory` or above it.
std::optional<std::string> find_upwards(const std::string& directory, std::string_view name);

/// Flags as they are given; else settings, relative to `base`; else `base`/baselines and
/// `base`/runs. `base`: the folder of plumbline.yaml, or of the suite where there is none.
Locations locate(const Locations& flags, const Locations& settings, const std::string& base);

/// Creates `runs_directory`/<time>-<commit>-<device>, with a number behind it where that exists,
/// and returns its path. `time`: ISO 8601, colons are left out; the commit is cut to 10
/// characters. Throws Error.
std::string new_run_directory(const std::string& runs_directory, std::string_view time,
                              std::string_view commit, std::string_view device);

/// Name of a device in the names of files: lower case, [a-z0-9-]; `NVIDIA H200` is nvidia-h200, of
/// whatever class. CPUs are named by their class and begin with `cpu-`. Throws Error where the
/// environment names no device class.
std::string device_slug(const Environment& environment);

/// Names that the folder of a device class may have, in the order in which they are tried: the
/// device's (nvidia-h200), the class's (nvidia-h200-700-w-ecc-on), and one that no other class has.
std::vector<std::string> device_folders(const Environment& environment);

/// A file name that holds `text`, whatever it is: characters outside [A-Za-z0-9._-], and a dot at
/// the beginning, become %XX.
std::string file_name_of(std::string_view text);

}  // namespace plumbline
