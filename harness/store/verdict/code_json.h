/// The fields of changed machine code in comparison.json (comparison_json.h).
#pragma once

#include "analysis/code/code_change.h"
#include "store/json/describe.h"

namespace plumbline {

template <class Io, Is<CodeSide> S>
void describe(Io& io, S& side) {
  io("hash", side.hash);
  io("instructions", side.instructions);
  io("registers", side.registers);
  io("local_bytes", side.local_bytes);
}

template <class Io, Is<OpcodeCount> O>
void describe(Io& io, O& count) {
  io("opcode", count.opcode);
  io("before", count.before);
  io("after", count.after);
}

template <class Io, Is<ChangedCodeCase> C>
void describe(Io& io, C& one) {
  io("suite", one.suite);
  io("case", one.case_id);
}

template <class Io, Is<CodeChange> C>
void describe(Io& io, C& change) {
  io("kernel", change.kernel);
  io("before", change.before);
  io("after", change.after);
  io("cases", change.cases);
  io("unknown", change.unknown);
  io("mix", change.mix);
  io("diff", change.diff);
  io("left_out", change.left_out);
  io("is_partial", change.is_partial);
}

/// Left out of comparisons without any, which are most.
inline void describe_code(JsonWriter& io, const std::vector<CodeChange>& changes) {
  if (!changes.empty()) io("code_changes", changes);
}
inline void describe_code(JsonReader& io, std::vector<CodeChange>& changes) {
  io("code_changes", changes);
}

}  // namespace plumbline
