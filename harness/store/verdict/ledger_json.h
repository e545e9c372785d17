/// ledger.json: people's decisions about cases of the baselines beside it
/// (analysis/compare/ledger.h).
///
/// Stored in the baselines' folder, sorted, one member per line, for `git diff`. People edit it
/// too, so nothing is ignored: unknown contents are an error.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/ledger.h"

namespace plumbline {

std::string ledger_path(const std::string& baselines_directory);

/// The entries, sorted by suite, case, metric, kind, device; none if the file does not exist.
/// Throws Error with file and JSON path for an unknown key, a missing case, an invalid date and
/// other mistakes.
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

/// Whether the text is a valid calendar date such as 2026-03-31.
bool is_date(std::string_view text);

}  // namespace plumbline
