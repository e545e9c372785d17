#include "store/run/run_json.h"

#include <filesystem>
#include <utility>

#include "core/error.h"
#include "store/file.h"
#include "store/json/describe.h"

namespace plumbline {

template <class Io, Is<ResultsSeal> S>
void describe(Io& io, S& seal) {
  io("bytes", seal.bytes);
  io("hash", seal.hash);
}

namespace {

/// "the JSON of a comparison" if it is another file of ours, identified by a key.
std::string found_kind(const ParsedJson& json, std::string_view mark) {
  constexpr std::pair<const char*, const char*> kKinds[] = {{"findings", "a comparison"},
                                                            {"entries", "a ledger"},
                                                            {"runs", "a baseline"},
                                                            {"measurement_revision", "a run"}};
  if (json.is_object() && json.contains("format"))
    for (const auto& [key, kind] : kKinds)
      if (json.contains(key)) return std::string("the JSON of ") + kind;
  return "JSON without 'format' and '" + std::string(mark) + "'";
}

}  // namespace

void check_format(const ParsedJson& json, const std::string& path, std::string_view what,
                  std::string_view mark) {
  const bool ours = json.is_object() && json.contains(mark) && json.contains("format") &&
                    json["format"].is_number_integer();
  if (!ours)
    throw Error(path + ": found " + found_kind(json, mark) + ", expected the JSON of " +
                std::string(what) + " written by Plumbline");
  const auto format = json["format"].get<std::int64_t>();
  if (format < 1 || format > kFormatVersion)
    throw Error(path + ": found format " + std::to_string(format) + ", expected at most format " +
                std::to_string(kFormatVersion) +
                ", the newest that this Plumbline reads; use the Plumbline that wrote it");
}

namespace {

Json json_of(const RunInfo& info) {
  Json json = JsonWriter::encode(info);
  if (info.finished_at.empty()) json["finished_at"] = nullptr;
  if (!info.acceptance) json.erase("acceptance");
  if (!info.asked) json.erase("asked");
  if (info.expected.empty()) json.erase("expected");
  return json;
}

}  // namespace

std::string run_json_text(const RunFile& file) {
  Json json = json_of(file.info);
  if (file.results) json["results"] = JsonWriter::encode(*file.results);
  return json_text(json);
}

std::string baseline_json_text(const std::string& suite, const std::vector<const RunInfo*>& runs,
                               const std::optional<ResultsSeal>& rows) {
  Json json = {{"format", kFormatVersion}, {"suite", suite}, {"runs", Json::array()}};
  for (const RunInfo* info : runs) json["runs"].push_back(json_of(*info));
  if (rows) json["results"] = JsonWriter::encode(*rows);
  return json_text(json);
}

RunFile read_run_json(const std::string& path) {
  const ParsedJson json = read_json(path);
  if (json.is_object() && json.contains("runs")) {
    check_format(json, path, "a baseline", "runs");
    RunFile file;
    JsonReader reader(JsonView(json, path));
    reader("suite", file.suite);
    reader("runs", file.accepted);
    reader("results", file.results);
    if (file.accepted.empty())
      throw Error(path + ": runs: found none, expected at least one accepted run");
    file.info = file.accepted.back();
    return file;
  }
  check_format(json, path, "a run", "measurement_revision");
  RunFile file;
  JsonReader reader(JsonView(json, path));
  describe(reader, file.info);
  reader("results", file.results);
  return file;
}

std::string results_hash(const std::optional<ResultsSeal>& seal, const std::string& run_directory) {
  const std::string path = run_directory + "/results.csv";
  std::error_code problem;
  const std::uint64_t bytes = std::filesystem::file_size(path, problem);
  if (!problem && seal && seal->bytes == bytes) return seal->hash;
  return hash_of_file(path).text();
}

}  // namespace plumbline
