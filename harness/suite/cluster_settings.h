/// `slurm:` of plumbline.yaml: how a site's Slurm starts jobs. Flags of `plumbline submit` have the
/// same names.
///
/// Reads values only; knows no script.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "suite/yaml/yaml.h"

namespace plumbline {

struct SlurmSettings {
  std::string partition, account, qos, time, grace, gres, constraint;  // as sbatch takes them
  std::string container;  // shell words before the program: "apptainer exec --nv image.sif"
  std::string program;    // plumbline on the nodes; "" = the one that submits
  std::vector<std::string> modules, setup, options, judge_options;
};

/// A setting: its key in plumbline.yaml, `type` of its value in help.
struct SlurmSetting {
  using Member =
      std::variant<std::string SlurmSettings::*, std::vector<std::string> SlurmSettings::*>;
  std::string_view key, type, doc;
  Member member;
};

/// All of them. Those that sbatch has too keep sbatch's names.
inline constexpr auto kSlurmSettings = std::to_array<SlurmSetting>({
    {"partition", "NAME", "partition of the nodes", &SlurmSettings::partition},
    {"account", "NAME", "account that pays", &SlurmSettings::account},
    {"qos", "NAME", "quality of service", &SlurmSettings::qos},
    {"time", "TIME", "time limit of a task, as in 02:00:00; a task that reaches it goes on later",
     &SlurmSettings::time},
    {"grace", "SECONDS", "how long before the time limit a task ends cleanly, to go on later [120]",
     &SlurmSettings::grace},
    {"gres", "LIST", "devices of a task, as in gpu:1 or gpu:h200:1", &SlurmSettings::gres},
    {"constraint", "LIST", "features that nodes need", &SlurmSettings::constraint},
    {"container", "WORDS",
     "shell words that start a program in a container, as in apptainer exec --nv image.sif",
     &SlurmSettings::container},
    {"program", "PATH", "plumbline on the nodes [this program]", &SlurmSettings::program},
    {"modules", "NAME", "environment modules that a job loads", &SlurmSettings::modules},
    {"setup", "LINE", "lines of bash that a job runs before it measures", &SlurmSettings::setup},
    {"options", "OPTION", "further options of sbatch, as in --reservation=bench",
     &SlurmSettings::options},
    {"judge_options", "OPTION",
     "options of sbatch for the job that merges and judges, which needs no GPU",
     &SlurmSettings::judge_options},
});

/// Throws Error with the place for unknown keys and values of another kind.
SlurmSettings read_slurm_settings(const YamlNode& node);

/// `first`, and `others` where it says nothing.
SlurmSettings with_defaults(SlurmSettings first, const SlurmSettings& others);

}  // namespace plumbline
