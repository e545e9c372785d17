#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/run/case.h"
#include "import/columns.h"
#include "import/import.h"
#include "import/import_mapping_keys.h"
#include "import/import_visits.h"
#include "import/table.h"
#include "store/csv/column.h"
#include "store/csv/csv_reader.h"
#include "store/file.h"

namespace plumbline {
namespace {

/// The value of a field as a parameter: a number only if it is written canonically, since version
/// 2.10 is not 2.1. 128.0 and 128.000000 become 128.
Value param_of(const std::string& text) {
  Value value = value_of_field(text);
  if (to_text(value) == text) return value;
  const std::size_t dot = text.find('.');
  if (dot != std::string::npos && dot + 1 < text.size() &&
      text.find_first_not_of('0', dot + 1) == std::string::npos)
    if (const Value whole = value_of_field(text.substr(0, dot));
        to_text(whole) == text.substr(0, dot) && std::holds_alternative<std::int64_t>(whole))
      return whole;
  return text;
}

ForeignMetric metric_of(const ForeignTable& table, std::size_t column, const MappedMetric& mapped) {
  ForeignMetric metric{mapped.name, mapped.unit, {}, "", mapped.better};
  std::string_view rest = table.field(column);
  if (rest.empty() || rest == mapped.absent) {
    metric.absent = table.place(column) + ": no value";
    return metric;
  }
  const std::string_view separator =
      mapped.separator.empty() ? table.separator(column) : std::string_view(mapped.separator);
  while (true) {
    const std::size_t end = separator.empty() ? std::string_view::npos : rest.find(separator);
    const std::string_view piece = rest.substr(0, end);
    double value;
    if (!parse_number(piece, value))
      table.fail(column, shown(piece),
                 separator.empty() ? "a number, or nothing where there is none"
                                   : "numbers with " + shown(separator) + " between them");
    value *= mapped.factor;
    if (const std::string_view expected = sample_mistake(value, mapped.unit); !expected.empty())
      table.fail(column, shown(piece), expected);
    metric.samples.push_back(value);
    if (end == std::string_view::npos) return metric;
    rest.remove_prefix(end + separator.size());
  }
}

double cost_of(const ForeignTable& table, const Columns& columns, const MappedExpression& mapped) {
  if (!mapped.expression) return kUnknown;
  const Value value = columns.evaluated(mapped);
  const double* const real = std::get_if<double>(&value);
  const std::int64_t* const integer = std::get_if<std::int64_t>(&value);
  const double cost = real ? *real : integer ? static_cast<double>(*integer) : kUnknown;
  if (!(cost >= 0) || !std::isfinite(cost))
    throw Error(fmt::format("{}: '{}' of {} is {}; expected a number from 0", mapped.at,
                            mapped.text, table.place(), to_text(value)));
  return cost;
}

std::string said(const ForeignTable& table, const Columns& columns, const MappedText& text,
                 std::string_view what) {
  std::string value = columns.filled(text);
  if (value.empty())
    throw Error(fmt::format("{}: found an empty {}, which {} makes of it; expected a name",
                            table.place(), what, text.at));
  return value;
}

/// Leaves out the metrics that others with a value replace.
void leave_out_replaced(const ImportMapping& mapping, std::vector<ForeignMetric>& metrics) {
  std::set<std::string> replaced;
  for (const MappedMetric& mapped : mapping.metrics) {
    const auto found = std::ranges::find(metrics, mapped.name, &ForeignMetric::name);
    if (found != metrics.end() && !found->samples.empty()) replaced.insert(mapped.replaces);
  }
  std::erase_if(metrics,
                [&](const ForeignMetric& metric) { return replaced.contains(metric.name); });
}

Status status_of(const ForeignTable& table, const Columns& columns, const MappedText& text) {
  const std::string name = columns.filled(text);
  if (name.empty()) return Status::unverified;
  std::string allowed;
  for (const Status status : kMappedStatuses) {
    if (name_of(status) == name) return status;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name_of(status));
  }
  throw Error(fmt::format("{}: found the status {}, which {} makes of it; allowed: {}",
                          table.place(), shown(name), text.at, allowed));
}

std::int64_t batch_of(const ForeignTable& table, const Columns& columns, const MappedText& text) {
  const std::string number = columns.filled(text);
  std::int64_t batch = 1;
  if (!number.empty() && (!parse_integer(number, batch) || batch < 1))
    throw Error(
        fmt::format("{}: found the batch {}, which {} makes of it; expected an integer "
                    "from 1",
                    table.place(), shown(number), text.at));
  return batch;
}

ForeignResult result_of(const ForeignTable& table, const Columns& columns,
                        const ImportMapping& mapping) {
  ForeignResult result;
  result.place = table.place();
  result.suite = said(table, columns, mapping.suite, "suite");
  result.op = said(table, columns, mapping.op, "op");
  result.backend = said(table, columns, mapping.backend, "backend");
  result.revision = said(table, columns, mapping.revision, "revision");
  result.batch = batch_of(table, columns, mapping.batch);
  Params params;
  for (const auto& [name, text] : mapping.params)
    if (const std::string value = columns.filled(text); !value.empty())
      params[name] = param_of(value);
  for (const auto& [name, column] : columns.axes())
    if (const std::string value(table.field(column)); !value.empty())
      params[name] = param_of(value);
  result.case_id = case_id(result.op, result.backend, params);
  result.status = status_of(table, columns, mapping.status);
  if (has_samples(result.status)) {
    for (const MappedMetric& metric : mapping.metrics)
      if (const auto column = columns.position(metric.column))
        result.metrics.push_back(metric_of(table, *column, metric));
    leave_out_replaced(mapping, result.metrics);
  } else {
    result.reason = columns.filled(mapping.reason);
    result.reason.erase(result.reason.find_last_not_of(' ') + 1);
    if (result.reason.empty()) result.reason = result.place + ": no reason is given";
  }
  result.flops = cost_of(table, columns, mapping.flops);
  result.bytes = cost_of(table, columns, mapping.bytes);
  return result;
}

bool is_selected(const ForeignTable& table, const Columns& columns, const MappedExpression& where) {
  if (!where.expression) return true;
  const Value value = columns.evaluated(where);
  if (const bool* const fits = std::get_if<bool>(&value)) return *fits;
  throw Error(fmt::format("{}: '{}' of {} is {}; expected true or false", where.at, where.text,
                          table.place(), to_text(value)));
}

Environment environment_of(const ForeignTable& table, const Columns& columns,
                           const ImportMapping& mapping, const ImportOptions& options) {
  Environment environment;
  environment.device_class = options.device.empty()
                                 ? said(table, columns, mapping.device, "device class")
                                 : options.device;
  environment.device_model = environment.device_class;
  for (const auto& [field, text] : mapping.environment) {
    const std::string value = columns.filled(text);
    if (value.empty()) continue;  // not known
    if (const auto expected = field->read(value, environment); !expected.empty())
      throw Error(fmt::format("{}: '{}' of {} is {}; expected {}", text.at, text.pattern,
                              table.place(), shown(value), expected));
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

/// Keys of the mapping that only another format has.
void refuse(bool is_set, const ImportMapping& mapping, std::string_view key,
            std::string_view format) {
  if (is_set)
    throw Error(fmt::format("{}: found '{}', which is for {} only", mapping.path, key, format));
}

Imported import_table(std::unique_ptr<ForeignTable> read, const std::string& path,
                      const ImportMapping& mapping, const ImportOptions& options,
                      Missing optional) {
  const std::unique_ptr<ForeignTable> table = melted_table(std::move(read), path, mapping);
  const Columns columns(*table, mapping, path, optional);
  std::vector<FileRef> files{{path, hash_of_file(path).text()}};
  if (std::filesystem::exists(mapping.path))
    files.push_back({mapping.path, hash_of_file(mapping.path).text()});
  ForeignRuns runs(std::move(files), mapping.repeats);
  std::size_t taken = 0, left_out = 0;
  while (table->next()) {
    if (!is_selected(*table, columns, mapping.where)) {
      ++left_out;
      continue;
    }
    ++taken;
    runs.add(environment_of(*table, columns, mapping, options),
             result_of(*table, columns, mapping));
  }
  if (taken == 0)
    throw Error(fmt::format("{}: found {} rows{}; expected at least one result", path, left_out,
                            left_out > 0 ? ", of which 'where' leaves all out" : ""));
  Imported imported{runs.take(), {}};
  if (left_out > 0)
    imported.notes.push_back(fmt::format("{} of {} rows are left out: not {} ({})", left_out,
                                         left_out + taken, mapping.where.text, mapping.where.at));
  columns.add_notes(imported.notes);
  return imported;
}

Imported import_documents(const std::string& path, const ImportMapping& mapping,
                          const ImportOptions& options, JsonForm form) {
  require_device(mapping, options);
  refuse(!mapping.columns.empty(), mapping, "columns", "csv");
  refuse(mapping.delimiter != ',', mapping, "delimiter", "csv");
  return import_table(json_table(path, form, mapping), path, mapping, options, Missing::told);
}

}  // namespace

Imported import_csv(const std::string& path, const ImportMapping& mapping,
                    const ImportOptions& options) {
  require_device(mapping, options);
  refuse(!mapping.rows.steps.empty(), mapping, "rows", "json and jsonl");
  return import_table(csv_table(path, mapping), path, mapping, options, Missing::refused);
}

Imported import_json(const std::string& path, const ImportMapping& mapping,
                     const ImportOptions& options) {
  return import_documents(path, mapping, options, JsonForm::document);
}

Imported import_json_lines(const std::string& path, const ImportMapping& mapping,
                           const ImportOptions& options) {
  return import_documents(path, mapping, options, JsonForm::lines);
}

}  // namespace plumbline
