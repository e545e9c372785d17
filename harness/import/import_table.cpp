#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/error.h"
#include "core/run/case.h"
#include "import/import.h"
#include "import/import_visits.h"
#include "store/csv/column.h"
#include "store/csv/csv_reader.h"
#include "store/file.h"

namespace plumbline {
namespace {

/// The value of a field in expressions.
Value value_of(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  std::int64_t integer;
  if (parse_integer(text, integer)) return integer;
  double number;
  if (!text.empty() && parse_number(text, number) && std::isfinite(number)) return number;
  return std::string(text);
}

/// The value of a field as a parameter: a number only if it is written canonically, since version
/// 2.10 is not 2.1. 128.0 becomes 128.
Value param_of(const std::string& text) {
  Value value = value_of(text);
  if (to_text(value) == text) return value;
  if (text.ends_with(".0"))
    if (const Value whole = value_of(text.substr(0, text.size() - 2));
        to_text(whole) + ".0" == text && std::holds_alternative<std::int64_t>(whole))
      return whole;
  return text;
}

/// Evaluates the mapping's names for the reader's current row.
class Columns {
 public:
  Columns(const CsvReader& reader, const ImportMapping& mapping, const std::string& file)
      : reader_(reader), mapping_(mapping) {
    for (std::size_t i = 0; i < reader.header().size(); ++i) positions_[reader.header()[i]] = i;
    for (const auto& [name, table] : mapping.tables) {
      if (positions_.contains(name))
        throw Error(table.at + ": the table '" + name + "' has the name of a column of " + file +
                    "; give it another");
      require(table.column, table.at, file, false);
    }
    require_all(file);
  }

  /// Columns that the mapping does not use.
  std::string unused() const {
    std::string names;
    for (const std::string& name : reader_.header())
      if (!used_.contains(name)) names += (names.empty() ? "" : ", ") + name;
    return names;
  }

  std::size_t position(const std::string& column) const { return positions_.at(column); }

  std::string text(const std::string& name) const {
    const auto table = mapping_.tables.find(name);
    if (table == mapping_.tables.end()) return std::string(reader_.field(positions_.at(name)));
    const std::size_t column = positions_.at(table->second.column);
    const auto found = table->second.values.find(std::string(reader_.field(column)));
    if (found != table->second.values.end()) return found->second;
    std::string known;
    for (const auto& [value, meaning] : table->second.values)
      known += (known.empty() ? "" : ", ") + shown(value);
    reader_.fail(column, shown(reader_.field(column)),
                 fmt::format("one of table '{}' at {}: {}", name, table->second.at, known));
  }

  std::string filled(const MappedText& pattern) const {
    return plumbline::filled(pattern.pattern,
                             [this](const std::string& name) { return text(name); });
  }

  Value evaluated(const MappedExpression& expression) const {
    try {
      return evaluate(*expression.expression, [this](std::string_view name) {
        return std::optional(value_of(text(std::string(name))));
      });
    } catch (const Error& error) {
      throw Error(fmt::format("{}: '{}' of {}: {}", expression.at, expression.text,
                              reader_.place(reader_.header().size()), error.what()));
    }
  }

 private:
  void require(const std::string& name, const std::string& at, const std::string& file,
               bool may_be_table) {
    if (may_be_table && mapping_.tables.contains(name)) return;
    if (positions_.contains(name)) {
      used_.insert(name);
      return;
    }
    std::vector<std::string> known = reader_.header();
    if (may_be_table)
      for (const auto& [table, values] : mapping_.tables) known.push_back(table);
    const std::string near = nearest_name(name, known);
    std::string all;
    for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
    if (reader_.header().size() == 1 && all.find_first_of(";\t|") != std::string::npos)
      all += ", one column; fields are told apart by ','";
    throw Error(at + ": the column '" + name + "' is not in " + file +
                (near.empty() ? "; it has: " + all : "; did you mean '" + near + "'?"));
  }

  void require_all(const std::string& file) {
    const auto pattern = [&](const MappedText& text) {
      for (const std::string& name : names_in_pattern(text.pattern))
        require(name, text.at, file, true);
    };
    for (const MappedText* text :
         {&mapping_.suite, &mapping_.op, &mapping_.backend, &mapping_.device, &mapping_.revision})
      pattern(*text);
    for (const auto& [name, text] : mapping_.params) pattern(text);
    for (const auto& [field, text] : mapping_.environment) pattern(text);
    for (const MappedMetric& metric : mapping_.metrics)
      require(metric.column, metric.at, file, false);
    for (const MappedExpression* one : {&mapping_.flops, &mapping_.bytes, &mapping_.where})
      if (one->expression)
        for (const std::string& name : names_in(*one->expression))
          require(name, one->at, file, true);
  }

  const CsvReader& reader_;
  const ImportMapping& mapping_;
  std::map<std::string, std::size_t> positions_;
  std::set<std::string> used_;
};

ForeignMetric metric_of(const CsvReader& reader, const Columns& columns,
                        const MappedMetric& mapped) {
  const std::size_t column = columns.position(mapped.column);
  std::string_view rest = reader.field(column);
  ForeignMetric metric{mapped.name, mapped.unit, {}, "", mapped.better};
  if (rest.empty()) {
    metric.absent = reader.place(column) + ": no value";
    return metric;
  }
  while (true) {
    const std::size_t end =
        mapped.separator.empty() ? std::string_view::npos : rest.find(mapped.separator);
    const std::string_view piece = rest.substr(0, end);
    double value;
    if (!parse_number(piece, value))
      reader.fail(column, shown(piece),
                  mapped.separator.empty()
                      ? "a number, or nothing where there is none"
                      : "numbers with " + shown(mapped.separator) + " between them");
    value *= mapped.factor;
    if (const std::string_view expected = sample_mistake(value, mapped.unit); !expected.empty())
      reader.fail(column, shown(piece), expected);
    metric.samples.push_back(value);
    if (end == std::string_view::npos) return metric;
    rest.remove_prefix(end + mapped.separator.size());
  }
}

double cost_of(const CsvReader& reader, const Columns& columns, const MappedExpression& mapped) {
  if (!mapped.expression) return kUnknown;
  const Value value = columns.evaluated(mapped);
  const double* const real = std::get_if<double>(&value);
  const std::int64_t* const integer = std::get_if<std::int64_t>(&value);
  const double cost = real ? *real : integer ? static_cast<double>(*integer) : kUnknown;
  if (!(cost >= 0) || !std::isfinite(cost))
    throw Error(fmt::format("{}: '{}' of {} is {}; expected a number from 0", mapped.at,
                            mapped.text, reader.place(reader.header().size()), to_text(value)));
  return cost;
}

std::string said(const CsvReader& reader, const Columns& columns, const MappedText& text,
                 std::string_view what) {
  std::string value = columns.filled(text);
  if (value.empty())
    throw Error(fmt::format("{}: found an empty {}, which {} makes of it; expected a name",
                            reader.place(reader.header().size()), what, text.at));
  return value;
}

ForeignResult result_of(const CsvReader& reader, const Columns& columns,
                        const ImportMapping& mapping) {
  ForeignResult result;
  result.place = reader.place(reader.header().size());
  result.suite = said(reader, columns, mapping.suite, "suite");
  result.op = said(reader, columns, mapping.op, "op");
  result.backend = said(reader, columns, mapping.backend, "backend");
  result.revision = said(reader, columns, mapping.revision, "revision");
  Params params;
  for (const auto& [name, text] : mapping.params)
    if (const std::string value = columns.filled(text); !value.empty())
      params[name] = param_of(value);
  result.case_id = case_id(result.op, result.backend, params);
  for (const MappedMetric& metric : mapping.metrics)
    result.metrics.push_back(metric_of(reader, columns, metric));
  result.flops = cost_of(reader, columns, mapping.flops);
  result.bytes = cost_of(reader, columns, mapping.bytes);
  return result;
}

bool is_selected(const CsvReader& reader, const Columns& columns, const MappedExpression& where) {
  if (!where.expression) return true;
  const Value value = columns.evaluated(where);
  if (const bool* const fits = std::get_if<bool>(&value)) return *fits;
  throw Error(fmt::format("{}: '{}' of {} is {}; expected true or false", where.at, where.text,
                          reader.place(reader.header().size()), to_text(value)));
}

Environment environment_of(const CsvReader& reader, const Columns& columns,
                           const ImportMapping& mapping, const ImportOptions& options) {
  Environment environment;
  environment.device_class = options.device.empty()
                                 ? said(reader, columns, mapping.device, "device class")
                                 : options.device;
  environment.device_model = environment.device_class;
  for (const auto& [field, text] : mapping.environment) {
    const std::string value = columns.filled(text);
    if (const auto expected = field->read(value, environment); !expected.empty())
      throw Error(fmt::format("{}: '{}' of {} is {}; expected {}", text.at, text.pattern,
                              reader.place(reader.header().size()), shown(value), expected));
  }
  return environment;
}

void require_device(const ImportMapping& mapping, const ImportOptions& options) {
  if (mapping.device.empty() && options.device.empty())
    throw Error(mapping.path +
                ": no device is said; add 'device: $column' to the mapping, or give --device NAME");
  if (!mapping.device.empty() && !options.device.empty())
    throw Error(mapping.device.at +
                ": the mapping says the device, and --device says another; leave one of them out");
}

}  // namespace

Imported import_csv(const std::string& path, const ImportMapping& mapping,
                    const ImportOptions& options) {
  require_device(mapping, options);
  CsvReader reader(path, LastLineEnd::optional);
  if (reader.header().empty())
    throw Error(path + ": found no header, expected a line with the names of the columns");
  const Columns columns(reader, mapping, path);
  std::vector<FileRef> files{{path, hash_of_file(path).text()}};
  if (std::filesystem::exists(mapping.path))
    files.push_back({mapping.path, hash_of_file(mapping.path).text()});
  ForeignRuns runs(std::move(files), mapping.repeats);
  std::size_t taken = 0, left_out = 0;
  while (reader.next()) {
    if (!is_selected(reader, columns, mapping.where)) {
      ++left_out;
      continue;
    }
    ++taken;
    runs.add(environment_of(reader, columns, mapping, options),
             result_of(reader, columns, mapping));
  }
  if (reader.torn()) throw Error(*reader.torn());
  if (taken == 0)
    throw Error(fmt::format("{}: found {} rows{}; expected at least one result", path, left_out,
                            left_out > 0 ? ", of which 'where' leaves all out" : ""));
  Imported imported{runs.take(), {}};
  if (left_out > 0)
    imported.notes.push_back(fmt::format("{} of {} rows are left out: not {} ({})", left_out,
                                         left_out + taken, mapping.where.text, mapping.where.at));
  if (const std::string names = columns.unused(); !names.empty())
    imported.notes.push_back("columns that the mapping does not use: " + names);
  return imported;
}

}  // namespace plumbline
