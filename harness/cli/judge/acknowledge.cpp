/// plumbline acknowledge: an acknowledged change raises no alarm while it is no larger than stated.
#include <memory>

#include "cli/command.h"
#include "cli/judge/ledger_entry.h"

namespace plumbline {

Command acknowledge_command() {
  return {"acknowledge",
          "Record that a case's change is expected: how large, by whom, why, until when",
          [](CLI::App& app) {
            auto flags = std::make_shared<EntryFlags>();
            add_entry_flags(app, *flags);
            add_metrics_flag(app, flags->entry.metrics, "only these metrics [all]");
            app.add_option("--change", flags->change,
                           "the largest change that is expected, with its sign: a larger one is "
                           "SLOWER as always [any]")
                ->type_name("+8%");
            app.footer(
                "SLOWER and FASTER of the case are shown as acknowledged and set no exit code. "
                "Accepting a newer baseline of the case takes the entry out: the change is in the "
                "baseline then.\nStandard output: the ledger, to be committed.\nExit codes: 0; 2 a "
                "mistake, an unknown case, or a malformed ledger.");
            return Action(
                [flags](const auto&) { return edit_entries(EntryKind::acknowledged, *flags); });
          }};
}

}  // namespace plumbline
