/// The fields of ledger entries, in ledger.json and comparison.json.
#pragma once

#include "analysis/compare/ledger.h"
#include "store/json/describe.h"

namespace plumbline {

inline void describe_kind(JsonWriter& io, const EntryKind& kind) {
  io("kind", std::string(name_of(kind)));
}

inline void describe_kind(JsonReader& io, EntryKind& kind) {
  const auto found = io.view().find("kind");
  const auto named =
      found ? std::ranges::find(kEntryKindNames, found->text()) : kEntryKindNames.end();
  if (named == kEntryKindNames.end())
    (found ? *found : io.view()).fail("'kind': acknowledged or quarantined");
  kind = static_cast<EntryKind>(named - kEntryKindNames.begin());
}

template <class Io, Is<LedgerEntry> E>
void describe(Io& io, E& entry) {
  describe_kind(io, entry.kind);
  io("device", entry.device);
  io("suite", entry.suite);
  io("case", entry.case_id);
  io("metric", entry.metric);
  io("change", entry.change);
  io("author", entry.author);
  io("reason", entry.reason);
  io("at", entry.at);
  io("until", entry.until);
}

}  // namespace plumbline
