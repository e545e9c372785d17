/// Writes a submission for Slurm, and hands it over with sbatch: an array of tasks, and a job after
/// it that merges and judges.
///
/// What the jobs do stands in ci/slurm/, which is put behind the settings of the submission.
#pragma once

#include <string>
#include <vector>

#include "workflow/submit/submission.h"

namespace plumbline {

/// The submission's settings, and those of its project's plumbline.yaml where it says nothing.
/// Throws Error for a mistake in that file.
SlurmSettings slurm_settings(const Submission& submission);

struct Script {
  std::string name, text;
};

/// task.sh, judge.sh and, with a baseline's side, confirm.sh. Throws Error for settings that no
/// script can hold, and if ci/slurm/ is not installed.
std::vector<Script> slurm_scripts(const Submission& submission);

/// Writes the scripts into the submission's folder, which is made. Throws Error if it is not empty.
void write_scripts(const Submission& submission, const std::vector<Script>& scripts);

struct SlurmJobs {
  std::string array, judge;  // job ids
};

/// Calls sbatch for both jobs. Throws Error with sbatch's words; the folder stays, and the array is
/// cancelled where the second job is refused.
SlurmJobs submit_to_slurm(const Submission& submission);

}  // namespace plumbline
