#include "store/exported/runs_database.h"

#include <string_view>
#include <variant>

#include "core/moment.h"
#include "core/run/case.h"
#include "core/value.h"
#include "store/csv/columns.h"
#include "store/csv/flat_csv.h"

namespace plumbline {
namespace {

std::string quoted(std::string_view name) { return '"' + std::string(name) + '"'; }

std::string_view type_of(ColumnKind kind) {
  if (kind == ColumnKind::text) return "TEXT";
  return kind == ColumnKind::whole ? "INTEGER" : "REAL";
}

/// A table of rows of runs: `run`, then the columns.
template <class Column>
std::string definition(std::string_view table, std::span<const Column> columns) {
  std::string sql =
      "CREATE TABLE " + std::string(table) + "(run INTEGER NOT NULL REFERENCES run(run)";
  for (const Column& column : columns)
    sql.append(", ").append(quoted(column.name)).append(" ").append(type_of(column.kind));
  return sql + ");";
}

std::string insertion(std::string_view table, std::size_t columns) {
  std::string sql = "INSERT INTO " + std::string(table) + " VALUES (?";
  for (std::size_t i = 1; i < columns; ++i) sql += ", ?";
  return sql + ")";
}

/// Binds the text of a field as what it is; empty texts of numbers are NULL.
void bind_field(Statement& statement, int parameter, std::string_view text, ColumnKind kind) {
  double number = 0;
  std::int64_t whole = 0;
  if (kind == ColumnKind::text)
    statement.bind(parameter, text);
  else if (kind == ColumnKind::whole && parse_integer(text, whole))
    statement.bind(parameter, whole);
  else if (kind == ColumnKind::number && parse_number(text, number))
    statement.bind(parameter, number);
  else
    statement.bind_null(parameter);
}

template <class Row, class Column>
void insert_row(Statement& statement, std::int64_t run, std::span<const Column> columns,
                const Row& row) {
  std::vector<std::string> fields(columns.size());  // they must live until the statement has run
  statement.bind(0, run);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].print(row, fields[i]);
    bind_field(statement, int(i) + 1, fields[i], columns[i].kind);
  }
  statement.run();
}

ColumnKind kind_of(const EnvironmentField& field) {
  if (std::holds_alternative<std::optional<double> Environment::*>(field.member))
    return ColumnKind::number;
  return std::holds_alternative<std::optional<std::int64_t> Environment::*>(field.member)
             ? ColumnKind::whole
             : ColumnKind::text;
}

std::string run_definition() {
  std::string sql =
      "CREATE TABLE run(run INTEGER PRIMARY KEY, folder TEXT NOT NULL, started_at TEXT,"
      " started_s INTEGER, finished_at TEXT, shard TEXT, measurement_revision INTEGER";
  for (const EnvironmentField& field : environment_fields())
    sql.append(", ").append(quoted(field.name)).append(" ").append(type_of(kind_of(field)));
  return sql + ");";
}

constexpr int kOwnColumns = 7;  // of `run`, before those of the environment

}  // namespace

RunsDatabase::RunsDatabase(const std::string& path) : database_(path, 0) {
  database_.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN");
  std::string sql = run_definition() + definition("summary", summary_columns()) +
                    definition("result", result_columns()) +
                    definition("verdict", finding_columns()) +
                    "CREATE TABLE parameter(suite TEXT NOT NULL, \"case\" TEXT NOT NULL,"
                    " name TEXT NOT NULL, value TEXT);";
  database_.run(sql.c_str());
}

void RunsDatabase::add_run(const RunInfo& info, const std::string& folder,
                           std::span<const CaseSummary> rows, const std::string& results_hash) {
  const auto fields = environment_fields();
  Statement run(database_, insertion("run", kOwnColumns + fields.size()).c_str());
  const auto moment = moment_of(info.started_at);
  run.bind_null(0).bind(1, folder).bind(2, info.started_at);
  moment ? run.bind(3, moment->seconds) : run.bind_null(3);
  run.bind(4, info.finished_at).bind(5, info.shard);
  run.bind(6, std::int64_t(info.measurement_revision));
  std::vector<std::string> texts;
  texts.reserve(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    texts.push_back(fields[i].text(info.environment));
    bind_field(run, kOwnColumns + int(i), texts.back(), kind_of(fields[i]));
  }
  run.run();
  run_ = database_.last_row();
  Statement summary(database_, insertion("summary", summary_columns().size() + 1).c_str());
  for (const CaseSummary& row : rows) {
    insert_row(summary, run_, summary_columns(), SummaryRow{row, results_hash});
    add_parameters(row.suite, row.case_id);
  }
}

void RunsDatabase::add_parameters(const std::string& suite, const std::string& case_id) {
  if (!cases_.insert({suite, case_id}).second) return;
  Statement parameter(database_, "INSERT INTO parameter VALUES (?, ?, ?, ?)");
  for (const auto& [name, value] : case_id_parts(case_id))
    if (!name.empty()) parameter.bind(0, suite).bind(1, case_id).bind(2, name).bind(3, value).run();
}

void RunsDatabase::add_results(std::span<const ResultRow> rows) {
  Statement result(database_, insertion("result", result_columns().size() + 1).c_str());
  for (const ResultRow& row : rows) insert_row(result, run_, result_columns(), row);
}

void RunsDatabase::add_verdicts(const Comparison& comparison) {
  Statement verdict(database_, insertion("verdict", finding_columns().size() + 1).c_str());
  for (const Finding& finding : comparison.findings)
    insert_row(verdict, run_, finding_columns(), finding);
}

void RunsDatabase::finish() {
  database_.run(
      "CREATE INDEX summary_of_case ON summary(\"case\", metric, run);"
      "CREATE INDEX summary_of_run ON summary(run);"
      "CREATE INDEX verdict_of_run ON verdict(run, verdict);"
      "CREATE INDEX parameter_of_case ON parameter(\"case\", name); COMMIT");
}

}  // namespace plumbline
