/// The part of a run's cases that `--shard i/n` measures, and what its record says of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "core/run/run.h"

namespace plumbline {

struct ShardRequest {
  std::string shard;    // "i/n"; "" = all cases
  std::string balance;  // run whose times divide the cases; "" = none
};

/// What is known of the shard when its cases have been chosen.
struct ShardPlan {
  std::int64_t selected = 0;             // cases of all shards
  std::string balanced_by;               // hash of the times, or ""
  std::map<CaseKey, std::string> homes;  // the devices that measured the cases before
};

/// Keeps only the shard's cases. Throws Error for an invalid shard, a run without times, and more
/// shards than cases.
ShardPlan keep_shard(std::vector<Case>& cases, const ShardRequest& request);

/// Records the shard; suites keep what they say of `cases`, the shard's.
void record_shard(const ShardPlan& shard, const std::vector<Case>& cases, RunInfo& info);

}  // namespace plumbline
