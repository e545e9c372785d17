#include "store/run/counted_runs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/parallel.h"
#include "core/words.h"
#include "store/run/run_json.h"

namespace plumbline {
namespace {

constexpr std::size_t kCounts = ~std::size_t{0};

/// What identifies a run that was measured, merged or not: its start and the checksum of its
/// results.
using Measured = std::pair<std::string, std::string>;

Measured identity_of(const MergedShard& shard) { return {shard.started_at, shard.results_hash}; }

/// Finds for each run the one that stands for it.
class Counter {
 public:
  explicit Counter(std::span<const RunToCount> runs)
      : runs_(runs), stand_in_(runs.size(), kCounts) {
    std::vector<std::size_t> merged;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!runs[i].is_finished) continue;
      if (!runs[i].shards.empty())
        merged.push_back(i);
      else
        ++starts_[runs[i].started_at];
      for (const MergedShard& shard : runs[i].shards) ++starts_[shard.started_at];
    }
    // The one with most shards stands for others of the same shards.
    std::ranges::stable_sort(merged, std::greater<>(),
                             [&](std::size_t i) { return runs[i].shards.size(); });
    for (const std::size_t i : merged) take_merged(i);
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (runs[i].is_finished && runs[i].shards.empty()) take_measured(i);
  }

  /// The run that counts instead of run `i`, or kCounts.
  std::size_t stand_in(std::size_t i) const { return stand_in_[i]; }

 private:
  void take_merged(std::size_t i) {
    const std::vector<MergedShard>& shards = runs_[i].shards;
    const auto first = known_.find(identity_of(shards[0]));
    const bool is_held =
        first != known_.end() && std::ranges::all_of(shards, [&](const MergedShard& shard) {
          const auto place = known_.find(identity_of(shard));
          return place != known_.end() && place->second == first->second;
        });
    if (is_held)
      stand_in_[i] = first->second;
    else
      for (const MergedShard& shard : shards) known_.try_emplace(identity_of(shard), i);
  }

  void take_measured(std::size_t i) {
    const RunToCount& run = runs_[i];
    if (starts_.at(run.started_at) == 1) return;  // no other can be equal
    const auto [place, is_new] = known_.try_emplace({run.started_at, run.results_hash()}, i);
    if (!is_new) stand_in_[i] = place->second;
  }

  std::span<const RunToCount> runs_;
  std::vector<std::size_t> stand_in_;
  std::map<std::string, std::size_t> starts_;  // of runs that were measured: how many have it
  std::map<Measured, std::size_t> known_;      // the run that counts
};

std::string note_on(const RunToCount& run, const RunToCount& stand_in) {
  if (run.shards.size() == stand_in.shards.size()) return copy_note(run.path, stand_in.path);
  return run.path + " is left out: " + stand_in.path + " holds all of its shards";
}

RunToCount read(const std::string& directory) {
  RunFile file = read_run_json(directory + "/run.json");
  return {directory, file.info.started_at, !file.info.finished_at.empty(),
          std::move(file.info.shards),
          [directory, seal = file.results] { return results_hash(seal, directory); }};
}

}  // namespace

CountedOnce count_once(std::span<const RunToCount> runs) {
  const Counter counter(runs);
  CountedOnce counted_once;
  std::map<std::string, std::size_t> shards;  // that are left out, by their merged run
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::size_t stand_in = counter.stand_in(i);
    if (!runs[i].is_finished)
      counted_once.notes.push_back(runs[i].path + " has not finished and is left out");
    else if (stand_in == kCounts)
      counted_once.indexes.push_back(i);
    else if (runs[i].shards.empty() && !runs[stand_in].shards.empty())
      ++shards[runs[stand_in].path];
    else
      counted_once.notes.push_back(note_on(runs[i], runs[stand_in]));
  }
  for (const auto& [path, count] : shards)
    counted_once.notes.push_back(counted(count, "shard") + " of " + path +
                                 (count == 1 ? " is" : " are") + " left out: that run holds " +
                                 (count == 1 ? "it" : "them"));
  return counted_once;
}

CountedRuns counted_runs(std::span<const std::string> directories) {
  std::vector<RunToCount> read_runs(directories.size());
  for_each_index(directories.size(), [&](std::size_t i) { read_runs[i] = read(directories[i]); });
  CountedOnce once = count_once(read_runs);
  CountedRuns counted_runs;
  counted_runs.notes = std::move(once.notes);
  auto next = once.indexes.begin();
  for (std::size_t i = 0; i < read_runs.size(); ++i) {
    const bool counts = next != once.indexes.end() && *next == i;
    if (counts) ++next;
    (counts ? counted_runs.runs : counted_runs.left_out).push_back(std::move(read_runs[i]));
  }
  return counted_runs;
}

std::string copy_note(const std::string& copy, const std::string& met) {
  return copy + " is a copy of " + met + " and is left out";
}

}  // namespace plumbline
