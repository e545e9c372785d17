#include "store/redacted/redactor.h"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <type_traits>

#include "analysis/estimate/recorded.h"
#include "core/run/environment.h"
#include "core/run/result_fields.h"
#include "store/json/describe.h"

namespace plumbline {
namespace {

using Table = std::map<std::string, Redaction, std::less<>>;

Table table_of(std::span<const RedactionRow> rows) {
  Table table;
  for (const RedactionRow& row : rows) table.emplace(row.field, row.redaction);
  return table;
}

/// Shards of a merged run have entries of the environment, too.
const Table& run_table() {
  static const Table table = [] {
    Table made = table_of(run_redactions());
    for (const RedactionRow& row : run_redactions())
      if (row.field.starts_with("environment."))
        made.emplace("shards.*." + std::string(row.field), row.redaction);
    return made;
  }();
  return table;
}

/// A comparison holds what two run.json say.
const Table& comparison_table() {
  static const Table table = [] {
    Table made = table_of(comparison_redactions());
    for (const char* side : {"baseline.", "candidate."})
      for (const auto& [field, redaction] : run_table()) made.emplace(side + field, redaction);
    return made;
  }();
  return table;
}

bool has_part(const Table& table, const std::string& field) {
  const auto next = table.lower_bound(field + ".");
  return next != table.end() && next->first.starts_with(field + ".");
}

/// The field's name in the table: a key that the table does not know may be one of a map.
std::string part_of(const Table& table, const std::string& field, const std::string& key) {
  const std::string whole = field.empty() ? key : field + "." + key;
  const std::string any = field.empty() ? "*" : field + ".*";
  const bool is_known = table.contains(whole) || has_part(table, whole);
  const bool is_map = table.contains(any) || has_part(table, any);
  return is_known || !is_map ? whole : any;
}

bool is_nothing(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         (value.is_structured() && value.empty());
}

bool is_worker_name(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  const auto all = [&](std::string_view part, auto is) {
    return !part.empty() && std::ranges::all_of(part, is);
  };
  return dash != std::string::npos &&
         all(std::string_view(name).substr(0, dash), [](char c) { return c >= 'a' && c <= 'z'; }) &&
         all(std::string_view(name).substr(dash + 1), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether a text holds nothing but own_words() and numbers.
bool says_numbers_alone(std::string_view text) {
  // Bytes beyond ASCII are letters of some language, too.
  const auto is_letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<signed char>(c) < 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = std::find_if(text.begin() + std::ptrdiff_t(at), text.end(), is_letter);
    const auto end = std::find_if_not(begin, text.end(), is_letter);
    const std::string_view word(begin, end);
    if (!word.empty() && std::ranges::find(own_words(), word) == own_words().end()) return false;
    at = std::size_t(end - text.begin());
  }
  return true;
}

/// Of what a comparison says of a field of the environment, or of what cases recorded. Other names,
/// such as those of variables of the user, are not known.
Redaction redaction_of(const std::string& name) {
  const auto known = run_table().find("environment." + name);
  if (known != run_table().end()) return known->second;
  const bool is_option =
      name.starts_with("policy.") && (run_table().contains(name) || has_part(run_table(), name));
  if (is_option) return Redaction::word;
  for (std::size_t i = 0; i < kAspects; ++i)
    if (info_of(Aspect(i)).name == name) return Redaction::keep;
  return Redaction::text;
}

/// Of such a field's own name and label.
Redaction redaction_of_name(const std::string& name) {
  const auto is_name = [&](const EnvironmentField& field) { return field.name == name; };
  const bool is_known = std::ranges::any_of(environment_fields(), is_name) ||
                        redaction_of(name) != Redaction::text || name.starts_with("suite.");
  return is_known ? Redaction::word : Redaction::text;
}

}  // namespace

std::vector<std::string> RedactionSummary::lines() const {
  std::vector<std::string> lines;
  for (const auto& [fields, word] :
       {std::pair{&replaced, "replaced"}, {&left_out, "left out"}, {&unknown, "left out, unknown"}})
    for (const std::string& field : *fields) lines.push_back(field + ": " + word);
  return lines;
}

std::string Redactor::text(Redaction redaction, const std::string& field,
                           const std::string& value) {
  const bool is_kept = redaction == Redaction::keep || redaction == Redaction::word ||
                       (redaction == Redaction::worker && is_worker_name(value)) ||
                       (redaction == Redaction::reason && says_numbers_alone(value));
  if (value.empty()) return "";
  if (!is_kept) {
    summary_.replaced.insert(field);
    return placeholders_.of(redaction, value);
  }
  summary_.kept.insert(field);
  return redaction == Redaction::keep ? placeholders_.scrubbed(value) : value;
}

/// `name`: of the field of an environment that stands beside it.
Json Redactor::leaf(Redaction redaction, const std::string& field, const Json& value,
                    const std::string& name) {
  if (redaction == Redaction::by_name) redaction = redaction_of(name);
  if (redaction == Redaction::name) redaction = redaction_of_name(name);
  if (value.is_string()) return text(redaction, field, value.get<std::string>());
  // Numbers measure; those in place of a text that is hidden are no text.
  const bool is_number_kept = redaction == Redaction::keep || redaction == Redaction::word ||
                              redaction == Redaction::worker;
  if (is_number_kept || is_nothing(value)) {
    if (!is_nothing(value)) summary_.kept.insert(field);
    return value;
  }
  summary_.left_out.insert(field);
  return Json();
}

Json Redactor::walk_object(const Table& table, const std::string& field, const Json& value) {
  Json made = Json::object();
  const auto beside = value.find("name");
  const std::string name =
      beside != value.end() && beside->is_string() ? beside->get<std::string>() : "";
  for (const auto& [key, inner] : value.items()) {
    const std::string part = part_of(table, field, key);
    const auto row = table.find(part);
    const bool is_known = row != table.end() || has_part(table, part);
    if (!is_known || (row != table.end() && row->second == Redaction::leave_out)) {
      if (!is_nothing(inner)) (is_known ? summary_.left_out : summary_.unknown).insert(part);
      continue;
    }
    made[key] = walk(table, part, inner, name);
  }
  return made;
}

Json Redactor::walk(const Table& table, const std::string& field, const Json& value,
                    const std::string& name) {
  if (value.is_object()) return walk_object(table, field, value);
  if (value.is_array()) {
    Json made = Json::array();
    for (const Json& inner : value) made.push_back(walk(table, field + ".*", inner, name));
    return made;
  }
  const auto row = table.find(field);
  if (row != table.end()) return leaf(row->second, field, value, name);
  if (!is_nothing(value)) summary_.unknown.insert(field);
  return Json();
}

RunInfo Redactor::redacted_info(const RunInfo& info) {
  const Json made = walk_object(run_table(), "", JsonWriter::encode(info));
  RunInfo redacted;
  const ParsedJson parsed = ParsedJson::parse(made.dump());
  JsonReader reader(JsonView(parsed, "the redacted run"));
  describe(reader, redacted);
  return redacted;
}

void Redactor::redact_row(ResultRow& row) {
  static const Table table = table_of(result_redactions());
  const auto one = [&](const auto& field) {
    auto& value = row.*field.kMember;
    using Value = std::remove_cvref_t<decltype(value)>;
    const auto known = table.find(field.name);
    const auto clean = [&](std::string& words) {
      const std::string name = "results.csv " + std::string(field.name);
      words = known == table.end() ? "" : text(known->second, name, words);
    };
    if constexpr (std::is_same_v<Value, std::string>) clean(value);
    if constexpr (std::is_same_v<Value, std::vector<std::string>>)
      for (std::string& words : value) clean(words);
  };
  std::apply([&](const auto&... field) { (one(field), ...); }, kResultFields);
}

Run Redactor::redacted(const Run& run) {
  Run made{redacted_info(run.info), run.rows, "", {}};
  for (ResultRow& row : made.rows) redact_row(row);
  return made;
}

Json Redactor::redacted_comparison(const Json& comparison) {
  return walk_object(comparison_table(), "", comparison);
}

}  // namespace plumbline
