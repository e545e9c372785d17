/// The flags of `acknowledge` and `quarantine`, and their output about the ledger.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "terminal/flags.h"
#include "workflow/judge/ledger.h"

namespace plumbline {

struct EntryFlags {
  EntryRequest entry;
  std::string change;  // a fraction or percentage, as text
  bool remove = false, list = false, json = false;
};

void add_entry_flags(CLI::App& app, EntryFlags& flags);

/// Edits or lists entries of that kind as the flags say; returns the exit code. Throws Error.
int edit_entries(EntryKind kind, const EntryFlags& flags);

}  // namespace plumbline
