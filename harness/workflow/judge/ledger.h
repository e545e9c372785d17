/// The ledger beside the baselines: entries that are added, removed and shown, and what they do to
/// a comparison.
///
/// Finds cases in the baselines; the file is store/verdict/ledger_json.h's, what an entry excuses
/// analysis/compare/ledger_effects.h's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/ledger.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

/// What an entry is to say, or which ones are meant: "" leaves all.
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

/// An entry for each baseline that holds the case. Throws Error for a case or metric that no
/// baseline has, naming the nearest, where there are baselines to know it.
WrittenEntries add_entries(const EntryRequest& request, Talk& talk);

/// Throws Error where there is none, naming the nearest.
RemovedEntries remove_entries(const EntryRequest& request);

/// Of the kind and case.
std::vector<LedgerEntry> entries_of(const EntryRequest& request);

/// The date in UTC, as in 2026-03-31.
std::string today();

/// Excuses what the ledger of the baseline excuses in a comparison with it: of the file in or above
/// `baseline` (a folder of baselines, or one of them), none for a run. Throws Error for a ledger
/// that is malformed.
void apply_ledger_of(const std::string& baseline, Comparison& comparison);

/// Throws Error for such a ledger, before there is a comparison.
void require_readable_ledger(const std::string& baseline);

}  // namespace plumbline
