/// ledger.json: what people decided about cases of the baselines beside it
/// (analysis/compare/ledger.h).
///
/// In the folder of the baselines, sorted, one member a line, for `git diff`. People edit it too,
/// so that nothing in it is passed over: what is not understood is an error.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/ledger.h"

namespace plumbline {

std::string ledger_path(const std::string& baselines_directory);

/// The entries, sorted by suite, case, metric, kind, device; none where there is no file. Throws
/// Error with file and JSON path for what is malformed: an unknown key, no case, no date.
std::vector<LedgerEntry> read_ledger(const std::string& path);

/// Reads the ledger, lets `change` change it, and replaces the file by what it left, all under a
/// lock on its folder, which is made if need be: of two writers none loses the other's entries.
/// Does not write where nothing changed, nor in a dry run. Throws Error, and what `change` throws,
/// with the file as it was.
void edit_ledger(const std::string& path,
                 const std::function<void(std::vector<LedgerEntry>&)>& change,
                 bool dry_run = false);

/// The text of the file.
std::string ledger_text(std::vector<LedgerEntry> entries);

/// Whether that is a day of the calendar, as in 2026-03-31.
bool is_date(std::string_view text);

}  // namespace plumbline
