#include "store/index/run_index.h"

#include <array>
#include <cmath>
#include <set>

#include "store/index/packed_rows.h"

namespace plumbline {
namespace {

constexpr int kVersion = 2, kWait_s = 60;
constexpr std::int64_t kRunsOfKey = std::int64_t{1} << 32;

constexpr const char* kTables =
    "CREATE TABLE run(id INTEGER PRIMARY KEY, folder TEXT NOT NULL UNIQUE, stamps TEXT NOT NULL,"
    " is_settled INTEGER NOT NULL, is_finished INTEGER NOT NULL, results_hash TEXT NOT NULL,"
    " started_at TEXT NOT NULL, commit_id TEXT NOT NULL, device_class TEXT NOT NULL,"
    " device_uuid TEXT NOT NULL, measurement_revision INTEGER NOT NULL, shard TEXT NOT NULL,"
    " host TEXT NOT NULL, boot_id TEXT NOT NULL, shards TEXT NOT NULL, numbers INTEGER, seal "
    "INTEGER NOT NULL);"
    "CREATE TABLE series(id INTEGER PRIMARY KEY, suite TEXT NOT NULL, case_id TEXT NOT NULL,"
    " metric TEXT NOT NULL, unit TEXT NOT NULL, revision TEXT NOT NULL, seal INTEGER NOT NULL);"
    "CREATE TABLE chunk(key INTEGER PRIMARY KEY, rows BLOB NOT NULL);";

std::string name_text(const auto& name) {
  std::string text;
  for (const std::string* part :
       {&name.suite, &name.case_id, &name.metric, &name.unit, &name.revision})
    text.append(*part).append(1, '\n');
  return text;
}

std::int64_t seal_of_name(std::int64_t id, const SeriesName& name) {
  const std::string number = std::to_string(id);
  return seal_of(std::array<std::string_view, 6>{number, name.suite, name.case_id, name.metric,
                                                 name.unit, name.revision});
}

/// A line for each shard: its start and the checksum of its results.
std::string text_of(const std::vector<MergedShard>& shards) {
  std::string text;
  for (const MergedShard& shard : shards)
    text += shard.started_at + ' ' + shard.results_hash + '\n';
  return text;
}

std::vector<MergedShard> shards_in(std::string_view text) {
  std::vector<MergedShard> shards;
  while (!text.empty()) {
    const std::size_t blank = text.find(' '), end = text.find('\n');
    if (blank > end || end == text.npos) fail_damaged("the shards of a run cannot be read");
    MergedShard& shard = shards.emplace_back();
    shard.started_at = text.substr(0, blank);
    shard.results_hash = text.substr(blank + 1, end - blank - 1);
    text.remove_prefix(end + 1);
  }
  return shards;
}

std::int64_t seal_of_run(const IndexedRun& run) {
  const std::string numbers = std::to_string(run.is_settled) + std::to_string(run.is_finished) +
                              " " + std::to_string(run.run.measurement_revision) + " " +
                              (run.numbers ? std::to_string(*run.numbers) : "");
  const std::string shards = text_of(run.shards);
  return seal_of(std::array<std::string_view, 12>{
      numbers, run.folder, run.stamps, run.results_hash, run.run.started_at, run.run.commit,
      run.run.device_class, run.run.device_uuid, run.run.shard, run.run.host, run.run.boot_id,
      shards});
}

bool has_value(const CaseSummary& row) {
  return !row.metric.empty() && row.estimate > 0 && std::isfinite(row.estimate);
}

std::string text_of(const Statement& row, int column) { return std::string(row.text(column)); }

IndexedRun run_of(const Statement& row) {
  IndexedRun run;
  run.id = row.number(0);
  run.folder = text_of(row, 1);
  run.stamps = text_of(row, 2);
  run.is_settled = row.number(3) != 0;
  run.is_finished = row.number(4) != 0;
  run.results_hash = text_of(row, 5);
  run.run.started_at = text_of(row, 6);
  run.run.commit = text_of(row, 7);
  run.run.device_class = text_of(row, 8);
  run.run.device_uuid = text_of(row, 9);
  run.run.measurement_revision = int(row.number(10));
  run.run.shard = text_of(row, 11);
  run.run.host = text_of(row, 12);
  run.run.boot_id = text_of(row, 13);
  run.shards = shards_in(row.text(14));
  if (!row.is_null(15)) run.numbers = std::uint64_t(row.number(15));
  if (row.number(16) != seal_of_run(run) || run.id <= 0 || run.id >= kRunsOfKey)
    fail_damaged("the checksum of a run does not fit");
  return run;
}

}  // namespace

RunIndex::RunIndex(const std::string& path) : database_(path, kWait_s) {
  // Large pages, so that the rows of a block lie in few; they count only in a new file.
  database_.run("PRAGMA page_size = 16384; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -2000");
  const std::int64_t version = database_.number("PRAGMA user_version");
  if (version == 0) create_tables();
  if (version != 0 && version != kVersion)
    throw DatabaseError("it is of another version of Plumbline", true);
}

void RunIndex::create_tables() {
  begin_writing();
  // Another process may have made them meanwhile.
  if (database_.number("PRAGMA user_version") == 0) {
    database_.run(kTables);
    database_.run(("PRAGMA user_version = " + std::to_string(kVersion)).c_str());
  }
  commit();
}

std::map<std::string, IndexedRun> RunIndex::runs() {
  std::map<std::string, IndexedRun> runs;
  Statement row(database_, "SELECT * FROM run");
  while (row.step()) {
    IndexedRun run = run_of(row);
    std::string folder = run.folder;
    runs.emplace(std::move(folder), std::move(run));
  }
  load_series();
  return runs;
}

void RunIndex::load_series() {
  Statement row(database_, "SELECT * FROM series WHERE id >= ?1 ORDER BY id");
  row.bind(0, std::int64_t(names_.size()));
  while (row.step()) {
    SeriesName name{text_of(row, 1), text_of(row, 2), text_of(row, 3), text_of(row, 4),
                    text_of(row, 5)};
    if (row.number(0) != std::int64_t(names_.size()) ||
        row.number(6) != seal_of_name(row.number(0), name))
      fail_damaged("the checksum of a series does not fit");
    names_.push_back(std::move(name));
  }
}

void RunIndex::remove(std::int64_t run) {
  Statement chunk(database_, "DELETE FROM chunk WHERE key = ?1");
  const std::int64_t blocks = block_of(std::int64_t(names_.size())) + 1;
  for (std::int64_t block = 0; block < blocks; ++block)
    chunk.bind(0, block * kRunsOfKey + run).run();
  Statement(database_, "DELETE FROM run WHERE id = ?1").bind(0, run).run();
}

std::int64_t RunIndex::series_for(const CaseSummary& row) {
  if (numbers_.empty())
    for (std::size_t i = 0; i < names_.size(); ++i) numbers_.emplace(name_text(names_[i]), i);
  const auto [place, is_new] = numbers_.try_emplace(name_text(row), std::int64_t(names_.size()));
  if (!is_new) return place->second;
  names_.push_back({row.suite, row.case_id, row.metric, row.unit, row.revision});
  Statement statement(database_, "INSERT INTO series VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  statement.bind(0, place->second).bind(1, row.suite).bind(2, row.case_id).bind(3, row.metric);
  statement.bind(4, row.unit).bind(5, row.revision);
  statement.bind(6, seal_of_name(place->second, names_.back())).run();
  return place->second;
}

void RunIndex::add(const IndexedRun& run, std::span<const CaseSummary> rows) {
  Statement statement(database_,
                      "INSERT INTO run VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
                      "?12, ?13, ?14, ?15, ?16)");
  statement.bind(0, run.folder).bind(1, run.stamps).bind(2, std::int64_t(run.is_settled));
  statement.bind(3, std::int64_t(run.is_finished)).bind(4, run.results_hash);
  statement.bind(5, run.run.started_at).bind(6, run.run.commit).bind(7, run.run.device_class);
  statement.bind(8, run.run.device_uuid).bind(9, std::int64_t(run.run.measurement_revision));
  statement.bind(10, run.run.shard).bind(11, run.run.host).bind(12, run.run.boot_id);
  const std::string shards = text_of(run.shards);
  statement.bind(13, shards);
  if (run.numbers)
    statement.bind(14, std::int64_t(*run.numbers));
  else
    statement.bind_null(14);
  statement.bind(15, seal_of_run(run)).run();
  const std::int64_t id = database_.last_row();
  std::map<std::int64_t, std::string> blocks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CaseSummary& row = rows[i];
    if (!has_value(row)) continue;
    const std::int64_t series = series_for(row);
    pack_row(blocks[block_of(series)], series,
             {id, std::uint32_t(i), row.estimate, row.low.value_or(kUnknown),
              row.high.value_or(kUnknown), row.tail, row.visit_means});
  }
  Statement chunk(database_, "INSERT INTO chunk VALUES (?1, ?2)");
  for (auto& [block, bytes] : blocks) {
    seal(bytes);
    chunk.bind(0, block * kRunsOfKey + id).bind_bytes(1, bytes).run();
  }
}

void RunIndex::read(const std::string& case_id, const Take& take) const {
  if (case_id.empty()) {
    read_block_range(0, block_of(std::int64_t(names_.size())) + 1, take, case_id);
    return;
  }
  std::set<std::int64_t> blocks;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i].case_id == case_id) blocks.insert(block_of(std::int64_t(i)));
  for (const std::int64_t block : blocks) read_block_range(block, block + 1, take, case_id);
}

void RunIndex::read_block_range(std::int64_t first, std::int64_t end, const Take& take,
                                const std::string& case_id) const {
  Statement chunk(database_, "SELECT key, rows FROM chunk WHERE key >= ?1 AND key < ?2");
  chunk.bind(0, first * kRunsOfKey).bind(1, end * kRunsOfKey);
  bool is_row = chunk.step();
  while (is_row) {
    const std::int64_t block = chunk.number(0) / kRunsOfKey;
    BlockRows rows(block);
    for (; is_row && chunk.number(0) / kRunsOfKey == block; is_row = chunk.step())
      rows.add(chunk.number(0) % kRunsOfKey, chunk.text(1));
    for (std::size_t slot = 0; slot < std::size_t(kBlockSeries); ++slot) {
      const auto found = rows.rows(slot);
      if (found.empty()) continue;
      const auto series = std::size_t(block * kBlockSeries) + slot;
      if (series >= names_.size()) fail_damaged("rows of a series that it does not name");
      if (case_id.empty() || names_[series].case_id == case_id) take(names_[series], found);
    }
  }
}

}  // namespace plumbline
