/// What `plumbline submit` hands to a cluster: the shards of a run, and the words of the commands
/// that measure, judge and confirm them.
///
/// Knows suites and folders, but no scheduler: slurm.h and kubernetes.h write for those.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite/cluster_settings.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

struct SubmitRequest {
  RunRequest run;  // `output`: the submission's folder; "" = a new one in the folder of runs
  std::int64_t shards = 0;   // 0 = as many as `nodes`
  std::int64_t at_once = 0;  // tasks that may run at a time; 0 = all
  std::int64_t tries = 3;    // of a task in a row that finish no visit
  std::string baseline_side, site;
  bool may_share = false;  // whether other jobs may run on a task's node
  SlurmSettings slurm;     // the command line's
};

struct Submission {
  std::string folder;               // absolute: of scripts, logs and shards
  std::string run;                  // absolute: where the merged run will be
  std::string work;                 // absolute: of the project, where commands are called
  std::vector<std::string> suites;  // as commands called in `work` take them
  std::vector<std::string> run_flags, pair_flags, compare_flags;
  std::string baselines, runs, site;  // absolute
  std::string baseline_side;          // revision or folder; "" = nothing is confirmed in pairs
  std::string name;                   // of the suites, for names of jobs
  std::int64_t shards = 1, at_once = 0, tries = 3;
  bool may_share = false;
  SlurmSettings slurm;  // of its jobs; at first the command line's
};

/// Reads the suites, without a worker, and decides all of this. Makes no folder. Throws Error for
/// mistakes in suites, and for numbers below 1.
Submission plan_submission(const SubmitRequest& request, Talk& talk);

}  // namespace plumbline
