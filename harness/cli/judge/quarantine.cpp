/// plumbline quarantine: an unstable case is measured and shown, but never fails the gate.
#include <memory>

#include "cli/command.h"
#include "cli/judge/ledger_entry.h"

namespace plumbline {

Command quarantine_command() {
  return {"quarantine", "Keep an unstable case out of the exit code: by whom, why, until when",
          [](CLI::App& app) {
            auto flags = std::make_shared<EntryFlags>();
            add_entry_flags(app, *flags);
            app.footer(
                "The case is measured and judged as always; its verdict is shown apart and sets no "
                "exit code.\nStandard output: the ledger, to be committed.\nExit codes: 0; 2 a "
                "mistake, an unknown case, or a malformed ledger.");
            return Action(
                [flags](const auto&) { return edit_entries(EntryKind::quarantined, *flags); });
          }};
}

}  // namespace plumbline
