/// Which field of a run or a comparison is safe to show to strangers, and what becomes of the
/// others in a redacted copy: one row for each field.
///
/// Pure data. A field without a row, such as one of a newer Plumbline, is left out of the copy.
#pragma once

#include <span>
#include <string_view>

namespace plumbline {

enum class Redaction {
  word,       // numbers, and words that Plumbline compares by: never changed, or verdicts change
  keep,       // texts that describe what is measured, without the names that are hidden elsewhere
  leave_out,  // nothing needs it
  device,     // a placeholder for each value: gpu-1
  host,
  boot,
  user,
  branch,
  path,
  text,     // words of people and programs: whatever they say
  reason,   // the same, except for what says nothing but numbers in own_words()
  worker,   // kept where it is a profile and a number, as Plumbline writes it
  name,     // of a field of the environment; that of a variable or a file becomes a placeholder
  by_name,  // as the field of the environment that stands beside it in `name`
};

struct RedactionRow {
  std::string_view field;  // path in the JSON; `*` is any item of a list or key of a map
  Redaction redaction;
};

/// Fields of run.json.
std::span<const RedactionRow> run_redactions();
/// Columns of results.csv that hold text.
std::span<const RedactionRow> result_redactions();
/// Fields of comparison.json, without those of `baseline` and `candidate`, which are runs.
std::span<const RedactionRow> comparison_redactions();

/// Words of reasons that tell nothing but by how much a case changed, and the minus sign.
std::span<const std::string_view> own_words();

/// The first word of the placeholders: "host".
std::string_view word_of(Redaction redaction);

}  // namespace plumbline
