/// What a command is asked to do, as values. The command line fills them from flags.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedule/process/resource_group.h"
#include "suite/select.h"
#include "suite/suite.h"

namespace plumbline {

/// Which cases: suites, axes, filters.
struct SuiteRequest {
  std::vector<std::string> suites;
  std::vector<std::string> set;  // axis=value
  Selection selection;
  std::map<std::string, std::string> policy;  // field -> text

  /// Throws Error for a --set without '='.
  SuiteOptions options() const;
};

/// Where to measure, and with which worker.
struct WorkerRequest {
  std::string device;  // "" = the project's, else auto
  std::string worker;
  std::vector<std::string> extensions;
  std::map<std::string, std::string> variables;  // for the worker
  bool is_sandboxed = false;                     // code of suites and sides runs in a sandbox
  std::vector<std::string> readable;             // what it shows besides what it needs
  ResourceLimits limits;                         // of the sandbox; 0 = the default
};

/// Folders of baselines and runs.
struct PlaceRequest {
  std::string baselines, runs;
  std::optional<bool> history;  // whether to learn from the earlier ones of `runs`
};

/// The request of `plumbline run`.
struct RunRequest {
  SuiteRequest suite;
  WorkerRequest worker;
  PlaceRequest places;
  std::string output, shard;
  std::string balance;      // run whose times and devices decide who measures which case
  std::string sanitizer;    // tool to run under; "" = measure
  std::string lock_clocks;  // base, or MHz; "" = leave the clocks alone
  bool resume = false;
  bool any_device = false;  // resumes on another device of the same class, too
};

}  // namespace plumbline
