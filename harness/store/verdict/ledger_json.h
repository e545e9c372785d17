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

/// Reads the ledger, lets `change` modify it, and replaces the file. Holds a lock on the folder,
/// which is created if missing, so that two writers never lose each other's entries. Does not write
/// if nothing changed. Throws Error, and whatever `change` throws; the file then stays unchanged.
void edit_ledger(const std::string& path,
                 const std::function<void(std::vector<LedgerEntry>&)>& change);

/// The text of the file.
std::string ledger_text(std::vector<LedgerEntry> entries);

/// Whether the text is a valid calendar date such as 2026-03-31.
bool is_date(std::string_view text);

}  // namespace plumbline
