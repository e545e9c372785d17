#include "store/run/summary.h"

#include <algorithm>
#include <filesystem>

#include "store/file.h"
#include "store/run/run_json.h"

namespace plumbline {
namespace {

using S = SummaryRow;

constexpr CsvColumn<S> kColumns[] = {
    csv_column<S, &S::suite>("suite", kRequired, "name of the suite"),
    csv_column<S, &S::case_id>("case", kRequired, "case id"),
    csv_column<S, &S::op>("op", kRequired, "what is computed"),
    csv_column<S, &S::backend>("backend", kRequired, "who computes it"),
    csv_column<S, &S::revision>("revision", kRequired, "of the problem"),
    csv_column<S, &S::device>("device", kOptional, "UUID of the device"),
    csv_column<S, &S::status>("status", kRequired,
                              "over all rounds: a failure in one is the case's"),
    csv_column<S, &S::reason>("reason", kOptional, "why it is not OK"),
    csv_column<S, &S::metric>("metric", kRequired, "empty for a case without samples"),
    csv_column<S, &S::unit>("unit", kRequired, "of the metric"),
    csv_column<S, &S::rounds>("rounds", kRequired, "visits with samples"),
    csv_column<S, &S::blocks>("blocks", kRequired, "over all visits"),
    csv_column<S, &S::samples>("samples", kRequired, "over all blocks"),
    csv_column<S, &S::set_aside>("set_aside", kOptional, "blocks that do not count"),
    csv_column<S, &S::estimate>("estimate", kRequired, "in `unit`"),
    csv_column<S, &S::low>("low", kOptional, "lower end of the interval over visits"),
    csv_column<S, &S::high>("high", kOptional, "upper end of the interval over visits"),
    csv_column<S, &S::launch_mad>("launch_mad", kOptional, "spread within a block, a fraction"),
    csv_column<S, &S::block_sd>("block_sd", kOptional, "spread between blocks, a fraction"),
    csv_column<S, &S::visit_sd>("visit_sd", kOptional, "spread between visits, a fraction"),
    csv_column<S, &S::tail>("tail", kOptional,
                            "95th percentile / median of a visit's blocks, less 1"),
    csv_column<S, &S::visit_means>("visit_means", kOptional, "of each visit, in `unit`"),
    csv_column<S, &S::flops_per_s>("flops_per_s", kOptional, "flops / estimate"),
    csv_column<S, &S::bytes_per_s>("bytes_per_s", kOptional, "bytes / estimate"),
    csv_column<S, &S::percent_of_peak>("percent_of_peak", kOptional,
                                       "of the nearer limit: calibrated copy bandwidth, or "
                                       "matmul rate of the dtype"),
    csv_column<S, &S::flags, FieldForm::names>("flags", kOptional, "of any visit"),
    csv_column<S, &S::temperature_c>("temperature_c", kOptional, "highest of its visits"),
    csv_column<S, &S::power_w>("power_w", kOptional, "highest of its visits"),
    csv_column<S, &S::clock_hz>("clock_hz", kOptional, "SM clock, median over blocks"),
    csv_column<S, &S::throttle>("throttle", kOptional, "reasons of any visit, '+' between them"),
    csv_column<S, &S::results_hash>("results_hash", kRequired,
                                    "checksum of the results.csv that this was made from"),
};

}  // namespace

std::span<const CsvColumn<SummaryRow>> summary_columns() { return kColumns; }

Summary read_summary(const std::string& run_directory) {
  return read_summary(run_directory, read_run_json(run_directory + "/run.json"));
}

Summary read_summary(const std::string& run_directory, const RunFile& file) {
  const std::string path = run_directory + "/summary.csv";
  if (!std::filesystem::exists(path))
    throw StaleSummary(path + ": not there; it can be made again from results.csv");
  const std::string expected = results_hash(file.results, run_directory);
  Summary summary{file.info, {}, run_directory};
  CsvReader reader(path);
  const ColumnBinding<S> binding(reader, kColumns, path);
  while (reader.next()) {
    SummaryRow row = binding.parse(reader);
    if (row.results_hash != expected)
      throw StaleSummary(path + ": made from results.csv with checksum " + row.results_hash +
                         ", which now has " + expected + "; it can be made again");
    summary.rows.push_back(std::move(row));
  }
  if (reader.torn()) throw Error(*reader.torn() + "; delete it, it can be made again");
  return summary;
}

void write_summary(const Run& run) {
  write_summary(run, hash_of_file(run.path + "/results.csv").text());
}

void write_summary(const Run& run, const std::string& results_hash) {
  write_summary(run.path, summarize(run), results_hash);
}

void write_summary(const std::string& run_directory, std::span<const CaseSummary> summaries,
                   const std::string& results_hash) {
  std::string text = header_of(std::span<const CsvColumn<S>>(kColumns));
  for (const CaseSummary& summary : summaries)
    append_fields(std::span<const CsvColumn<S>>(kColumns), SummaryRow{summary, results_hash}, text);
  write_atomically(run_directory + "/summary.csv", text);
}

}  // namespace plumbline
