#include "reports/sections/detail/code.h"

#include <fmt/format.h>

#include "reports/cause_text.h"
#include "reports/markup.h"
#include "reports/template.h"
#include "reports/units.h"

namespace plumbline {
namespace {

/// "registers of a thread 40 → 64"; "" where a side did not record it, or both are 0.
std::string move_text(const char* label, const std::optional<double>& before,
                      const std::optional<double>& after, const char* unit) {
  if (!before || !after || (*before == 0 && *after == 0)) return "";
  const std::string was = number_text(*before, 0), is = number_text(*after, 0);
  return fmt::format("{} {}{}{}", label, was == is ? "" : was + " → ", is, unit);
}

std::string facts_text(const CodeChange& change) {
  const std::string registers = move_text("registers of a thread", change.before.registers,
                                          change.after.registers, ""),
                    local = move_text("local memory of a thread", change.before.local_bytes,
                                      change.after.local_bytes, " B");
  return registers + (registers.empty() || local.empty() ? "" : ", ") + local;
}

/// What the diff does not show.
std::string note_text(const CodeChange& change) {
  if (!change.unknown.empty())
    return fmt::format(
        "The machine code changed ({:.12} → {:.12}). Its instructions are not shown: {}.",
        change.before.hash, change.after.hash, change.unknown);
  std::string text;
  if (change.left_out > 0)
    text = fmt::format("{} more line{} of the difference {} left out.", change.left_out,
                       change.left_out == 1 ? "" : "s", change.left_out == 1 ? "is" : "are");
  if (change.is_partial)
    text +=
        std::string(text.empty() ? "" : " ") +
        "The code differs so much that its end was not compared line by line; the counts are of "
        "all instructions.";
  if (change.diff.empty() && text.empty())
    text =
        "There is no difference to show here: the instructions are the same, or this copy of the "
        "results leaves them out.";
  return text;
}

PageData data_of(const CodeChange& change) {
  PageData mix = PageData::array(), cases = PageData::array();
  for (const OpcodeCount& count : change.mix)
    mix.push_back({count.opcode, count.before, count.after});
  for (const ChangedCodeCase& one : change.cases) cases.push_back({one.suite, one.case_id});
  return {{"kernel", change.kernel},  {"text", code_text(change)}, {"facts", facts_text(change)},
          {"mix", std::move(mix)},    {"diff", change.diff},       {"note", note_text(change)},
          {"cases", std::move(cases)}};
}

}  // namespace

std::string code_json(const Comparison* comparison) {
  PageData list = PageData::array();
  if (comparison != nullptr)
    for (const CodeChange& change : comparison->code_changes) list.push_back(data_of(change));
  return script_json(list);
}

}  // namespace plumbline
