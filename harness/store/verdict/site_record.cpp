#include "store/verdict/site_record.h"

#include "store/csv/column.h"
#include "store/file.h"
#include "store/json/describe.h"
#include "store/json/json_fields.h"

namespace plumbline {
namespace {

using S = SiteRow;

constexpr CsvColumn<S> kColumns[] = {
    csv_column<S, &S::suite>("suite", kRequired, "name of the suite"),
    csv_column<S, &S::case_id>("case", kRequired, "case id"),
    csv_column<S, &S::metric>("metric", kRequired, "empty for a case without samples"),
    csv_column<S, &S::unit>("unit", kRequired, "of the metric"),
    csv_column<S, &S::revision>("revision", kRequired, "of the problem"),
    csv_column<S, &S::status>("status", kRequired, "of the case"),
    csv_column<S, &S::estimate>("estimate", kRequired, "in `unit`"),
    csv_column<S, &S::low>("low", kOptional, "lower end of the interval over visits"),
    csv_column<S, &S::high>("high", kOptional, "upper end of the interval over visits"),
    csv_column<S, &S::verdict>("verdict", kOptional, "of the case × metric, where compared"),
};

std::string path_of(const std::string& site, const std::string& key, const char* extension) {
  return site + "/data/" + key + extension;
}

}  // namespace

template <class Io, Is<SiteRun> R>
void describe(Io& io, R& run) {
  io("format", run.format);
  io("name", run.name);
  io("stamp", run.stamp);
  io("started_at", run.started_at);
  io("commit", run.commit);
  io("subject", run.subject);
  io("author", run.author);
  io("is_redacted", run.is_redacted);
  io("device_class", run.device_class);
  io("device_uuid", run.device_uuid);
  io("software", run.software);
  io("suites", run.suites);
  io("measurement_revision", run.measurement_revision);
  io("sentence", run.sentence);
  io("exit_code", run.exit_code);
  io("counts", run.counts);
}

void write_site_rows(const std::string& site, const std::string& key, const SiteRun& run) {
  std::string text = header_of(std::span<const CsvColumn<S>>(kColumns));
  for (const SiteRow& row : run.rows)
    append_fields(std::span<const CsvColumn<S>>(kColumns), row, text);
  write_atomically(path_of(site, key, ".csv"), text);
}

void write_site_run(const std::string& site, const std::string& key, const SiteRun& run) {
  write_atomically(path_of(site, key, ".json"), json_text(JsonWriter::encode(run)));
}

SiteRun read_site_run(const std::string& site, const std::string& key) {
  const std::string json = path_of(site, key, ".json"), csv = path_of(site, key, ".csv");
  SiteRun run;
  JsonReader::decode(JsonView(read_json(json), json), run);
  if (run.format > kFormatVersion)
    throw Error(json + ": found format " + std::to_string(run.format) + ", expected at most " +
                std::to_string(kFormatVersion) + ": a newer plumbline wrote it");
  CsvReader reader(csv);
  const ColumnBinding<S> binding(reader, kColumns, csv);
  while (reader.next()) run.rows.push_back(binding.parse(reader));
  if (reader.torn()) throw Error(*reader.torn());
  return run;
}

}  // namespace plumbline
