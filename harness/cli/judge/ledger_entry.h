/// Entries of the ledger as commands write, list and remove them: what `acknowledge` and
/// `quarantine` share.
///
/// Finds cases in the baselines beside the ledger; the file is store/verdict/ledger_json.h's.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "analysis/compare/comparison.h"
#include "analysis/compare/ledger.h"
#include "cli/flags.h"

namespace plumbline {

struct EntryFlags {
  std::string case_id, suite, device;
  std::string author, why, until;
  std::string metric, change;  // of acknowledgements
  PlaceRequest places;
  bool remove = false, list = false, json = false;
};

void add_entry_flags(CLI::App& app, EntryFlags& flags);

/// Does what the flags ask for with entries of that kind; gives the exit code. Throws Error for a
/// case or metric that no baseline has, naming the nearest, where there are baselines to know it.
int edit_entries(EntryKind kind, const EntryFlags& flags);

/// Excuses what the ledger of the baseline excuses in a comparison with it: of the file in or above
/// `baseline` (a folder of baselines, or one of them), none for a run. Throws Error for a ledger
/// that is malformed.
void apply_ledger_of(const std::string& baseline, Comparison& comparison);

/// Throws Error for such a ledger, before there is a comparison.
void require_readable_ledger(const std::string& baseline);

}  // namespace plumbline
