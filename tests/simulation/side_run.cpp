#include "simulation/side_run.h"

#include <filesystem>
#include <memory>
#include <vector>

#include "store/csv/columns.h"
#include "store/file.h"
#include "store/run/run_reader.h"
#include "support/kept_talk.h"
#include "workflow/shards/merge.h"

namespace plumbline::simulation {
namespace {

namespace fs = std::filesystem;

using Shards = std::vector<std::unique_ptr<SimulatedRun>>;

/// Only a killed merge leaves its hidden folder.
void check_no_merging_folder(const MergeRequest& request) {
  for (const auto& entry : fs::directory_iterator(fs::path(request.output).parent_path()))
    if (entry.path().filename().string().ends_with(".merging"))
      violate("a merge has left " + entry.path().string());
}

/// Shards that are not finished make no run.
void require_refusal(const MergeRequest& request) {
  KeptTalk talk;
  try {
    merge_shards(request, talk);
  } catch (const Error&) {
    if (fs::exists(request.output)) violate("a refused merge left a run");
    check_no_merging_folder(request);
    return;
  }
  violate("shards were merged although one is not finished");
}

/// One try; false if the process died or the disk was full.
bool try_merge(World& world, const MergeRequest& request, const LifePlan& plan) {
  KeptTalk talk;
  bool is_done = false;
  world.kernel.begin_life(++world.processes, plan.kernel);
  {
    const InProcess inside(&world.kernel);
    try {
      merge_shards(request, talk);
      is_done = true;
    } catch (const Death&) {
      is_done = false;
    } catch (const Error& error) {
      if (!world.kernel.is_full())
        violate(std::string("finished shards are not merged: ") + error.what());
    }
  }
  world.kernel.end_life();
  if (!world.kernel.is_dead()) check_no_merging_folder(request);
  if (fs::exists(request.output)) {  // whole, or not there
    const Run run = read_run(request.output);
    if (!run.warnings.empty() || run.info.finished_at.empty())
      violate("a merge that ended early left a part of a run");
  }
  return is_done;
}

void check_merged(const Shards& shards, const MergeRequest& request, std::size_t cases) {
  std::string rows;
  for (const auto& shard : shards) rows += shard->text();
  if (read_text(request.output + "/results.csv") != header_line() + rows)
    violate("the merged run does not hold the rows of its shards", Harm::lost_visit);
  check_no_merging_folder(request);
  check_files(request.output, true, 0);
  KeptTalk talk;
  const MergeOutcome again = merge_shards(request, talk);
  if (!again.was_there || again.cases != cases) violate("the merged run is made again");
}

void merge(World& world, const Shards& shards, const MergeRequest& request, Dice dice) {
  bool is_done = false;
  for (std::uint64_t life = dice.below(3); life > 0 && !is_done; --life) {
    LifePlan plan;
    (dice.chance(0.7) ? plan.kernel.dies_at : plan.kernel.full_from) = dice.below(14);
    is_done = try_merge(world, request, plan);
  }
  if (!is_done && !try_merge(world, request, quiet())) violate("finished shards are not merged");
  check_merged(shards, request, world.scenario.cases.size());
  world.tally.add(Count::merges);
}

}  // namespace

Run measured_side(World& world, SideNumber side, Dice dice) {
  const std::size_t count = world.scenario.shards;
  if (count == 1) {
    SimulatedRun run(world, side, 0, dice.apart(0));
    run.live_through();
    return run.run();
  }
  Shards shards;
  for (std::size_t i = 1; i <= count; ++i)
    shards.push_back(std::make_unique<SimulatedRun>(world, side, i, dice.apart(i)));
  const std::string folder = fs::path(shards[0]->path()).parent_path().string();
  const MergeRequest request{{folder}, world.folder + (side == 0 ? "/base" : "/cand"), false};
  for (const auto& shard : shards) {
    shard->on_unfinished = [&] {
      if (shard->is_begun() && dice.chance(0.1)) require_refusal(request);
    };
    shard->live_through();
  }
  merge(world, shards, request, dice.apart(99));
  return read_run(request.output);
}

}  // namespace plumbline::simulation
