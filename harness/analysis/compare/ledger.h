/// What people decided about single cases of a baseline: changes that they acknowledge, cases that
/// are too unstable to count.
///
/// Pure data; the file is store/verdict/ledger_json.h's, what an entry does to a comparison
/// ledger_effects.h's.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

enum class EntryKind {
  acknowledged,  // SLOWER and FASTER, up to a size, are what was wanted
  quarantined,   // whatever is found of the case is shown and does not count
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
  std::string metric;            // "" = all; of acknowledged changes only
  std::optional<double> change;  // largest one, a fraction with its sign; none = any
  std::string author, reason;
  std::string at, until;  // dates, 2026-03-31; until "" = for good, else its last day
};

}  // namespace plumbline
