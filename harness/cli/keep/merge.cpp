/// plumbline merge: makes one run of its shards.
#include "workflow/shards/merge.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "core/words.h"
#include "store/json/json_fields.h"
#include "terminal/console.h"
#include "terminal/run_progress.h"

namespace plumbline {
namespace {

std::string as_json(const MergeOutcome& outcome) {
  return json_text(Json{{"run", outcome.directory},
                        {"shards", outcome.shards},
                        {"of", outcome.count},
                        {"missing", outcome.missing},
                        {"cases", outcome.cases},
                        {"devices", outcome.devices},
                        {"bytes", outcome.bytes},
                        {"was_there", outcome.was_there}});
}

void tell(const MergeOutcome& outcome) {
  if (outcome.was_there)
    return say(fmt::format("{} is the merged run of these shards already\n", outcome.directory));
  say(fmt::format("{} with {} on {}, {:.3g} MB\n", counted(outcome.shards, "shard"),
                  counted(outcome.cases, "case"), counted(outcome.devices, "device"),
                  double(outcome.bytes) / 1e6));
}

int merge(const MergeRequest& request, bool json) {
  ConsoleTalk talk;
  const MergeOutcome outcome = merge_shards(request, talk);
  if (!outcome.missing.empty())
    print_note(fmt::format(
        "{} of {} left out, with {} cases: where a baseline has them, compare says MISSING",
        counted(outcome.missing.size(), "shard"), outcome.count,
        outcome.missing.size() == 1 ? "its" : "their"));
  if (json) {
    print_result(as_json(outcome));
    return kExitOk;
  }
  tell(outcome);
  print_result(outcome.directory + "\n");
  return kExitOk;
}

}  // namespace

Command merge_command() {
  return {
      "merge", "Make one run of the shards that `run --shard i/n` measured", [](CLI::App& app) {
        auto request = std::make_shared<MergeRequest>();
        auto json = std::make_shared<bool>(false);
        app.add_option("DIR", request->inputs,
                       "run directories of shards, or folders that hold them")
            ->required();
        app.add_option("-o,--output", request->output, "the merged run: a new or empty folder")
            ->required()
            ->type_name("RUN");
        app.add_flag("--allow-missing", request->allows_missing,
                     "leave out shards that are not there or not finished; their cases are then "
                     "MISSING where a baseline has them");
        app.add_flag("--json", *json, "print what was merged as JSON");
        app.footer(
            "The shards must be of one suite, commit, worker, device class and the same flags. "
            "All that is missing, double or different is named at once. The merged run is like "
            "one measured without --shard: compare, report, accept and history take it. It keeps "
            "which device measured each case. The shards stay.\nA killed merge leaves no run; "
            "start it again. Merging the same shards again changes nothing.\nStandard output: the "
            "run.\nExit codes: 0 merged, or it was there already; 2 a mistake, or shards that do "
            "not make one run.");
        return Action([request, json](const auto&) { return merge(*request, *json); });
      }};
}

}  // namespace plumbline
