/// The ledger beside the baselines: adds, removes, lists and applies entries.
///
/// Finds cases in the baselines. store/verdict/ledger_json.h reads and writes the file;
/// analysis/compare/ledger_effects.h applies entries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/ledger.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

/// The content of an entry, or which entries are selected: "" selects all.
struct EntryRequest {
  EntryKind kind = EntryKind::acknowledged;
  std::string case_id, suite, device;
  std::string author, why, until;
  std::vector<std::string> metrics;  // none = all of the case
  std::optional<double> change;      // a fraction
  PlaceRequest places;
  bool dry_run = false;  // nothing is written
};

struct WrittenEntry {
  LedgerEntry entry;
  std::optional<LedgerEntry> replaced;
};

struct WrittenEntries {
  std::string path;  // of the ledger
  std::vector<WrittenEntry> entries;
};

struct RemovedEntries {
  std::string path;
  std::vector<LedgerEntry> entries;
};

/// Adds an entry for each baseline that has the case. If there are baselines but none has the case
/// or metric, throws Error that names the nearest.
WrittenEntries add_entries(const EntryRequest& request, Talk& talk);

/// Throws Error that names the nearest entry if there is none.
RemovedEntries remove_entries(const EntryRequest& request);

/// The entries of the requested kind and case.
std::vector<LedgerEntry> entries_of(const EntryRequest& request);

/// The date in UTC, as in 2026-03-31.
std::string today();

/// Applies the ledger of the baseline to a comparison with it: the file in or above `baseline` (a
/// folder of baselines, or one of them); no ledger for a run. Throws Error for a malformed ledger.
void apply_ledger_of(const std::string& baseline, Comparison& comparison);

/// Throws Error for a malformed ledger, before there is a comparison.
void require_readable_ledger(const std::string& baseline);

}  // namespace plumbline
