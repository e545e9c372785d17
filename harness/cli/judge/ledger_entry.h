/// The flags of `acknowledge` and `quarantine`, and what they show of the ledger.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "terminal/flags.h"
#include "workflow/judge/ledger.h"

namespace plumbline {

struct EntryFlags {
  EntryRequest entry;
  std::string change;  // a share, as text
  bool remove = false, list = false, json = false;
};

void add_entry_flags(CLI::App& app, EntryFlags& flags);

/// Does what the flags ask for with entries of that kind; gives the exit code. Throws Error.
int edit_entries(EntryKind kind, const EntryFlags& flags);

}  // namespace plumbline
