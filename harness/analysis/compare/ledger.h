/// What people decided about single cases of a baseline: changes that they acknowledge, and cases
/// that are too unstable to count.
///
/// Pure data. store/verdict/ledger_json.h reads and writes the file; ledger_effects.h applies
/// entries to a comparison.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

enum class EntryKind {
  acknowledged,  // SLOWER and FASTER, up to a size, are intended
  quarantined,   // all findings of the case are shown and do not count
};

inline constexpr std::array<std::string_view, 2> kEntryKindNames{"acknowledged", "quarantined"};

constexpr std::string_view name_of(EntryKind kind) {
  return kEntryKindNames[static_cast<std::size_t>(kind)];
}

struct LedgerEntry {
  EntryKind kind = EntryKind::acknowledged;
  std::string device;  // folder of its baseline (store/run/locate.h), "" = any
  std::string suite;   // "" = any
  std::string case_id;
  std::string metric;            // "" = all; only for acknowledged changes
  std::optional<double> change;  // largest change, a fraction with its sign; nothing = any
  std::string author, reason;
  std::string at, until;  // dates, 2026-03-31; until: the last day, "" = forever
};

}  // namespace plumbline
