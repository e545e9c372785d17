/// plumbline.yaml: where a project keeps its suites, baselines and runs, how it is built, and
/// defaults of flags: worker, device, history, thresholds, slurm.
///
/// Reads the file only; does not open what it names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suite/cluster_settings.h"

namespace plumbline {

/// How changes are judged, as fractions. An empty one means the device's default.
struct Thresholds {
  std::optional<double> margin, threshold, false_discovery_rate;
};

/// `first`, and `others` where it says nothing.
Thresholds with_defaults(Thresholds first, const Thresholds& others);

struct ProjectFile {
  std::string baselines, runs, worker;  // absolute, or relative to the file's folder; "" = not set
  std::vector<std::string> suites;      // the same: files, and folders of them
  std::string build;                    // a command for the shell, run in the file's folder
  std::string device;                   // as --device takes it; "" = not said
  bool history = false;                 // whether comparisons learn from the earlier runs
  Thresholds thresholds;
  SlurmSettings slurm;
};

/// Throws Error with the place for unknown keys and values of another kind.
ProjectFile read_project_file(const std::string& path);

}  // namespace plumbline
