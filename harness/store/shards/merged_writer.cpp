#include "store/shards/merged_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/uninterrupted.h"
#include "store/csv/columns.h"
#include "store/run/result_scan.h"
#include "store/run/run_json.h"
#include "store/run/summary.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunkBytes = 1 << 20;
/// Names that no reader takes for a run's, should the folder be left behind.
constexpr const char* kUnfinishedResults = "/results.csv.part";
constexpr const char* kUnfinishedRecord = "/run.json.part";

constexpr std::string_view kMerging = ".merging";

/// ".night.merging" beside "night".
std::string hidden_folder(const std::string& path) {
  fs::path whole = fs::absolute(path).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // of "runs/night/"
  return whole.parent_path() / ("." + whole.filename().string() + std::string(kMerging));
}

void refuse_existing(const std::string& path) {
  std::error_code none;
  if (!fs::exists(fs::symlink_status(path, none)) ||
      (fs::is_directory(path, none) && fs::is_empty(path, none)))
    return;
  throw Error(path +
              (fs::exists(path + "/run.json", none) ? ": found a run in it" : ": it exists") +
              ", expected a new or empty directory");
}

std::string seal_mistake(const ResultScan& scan, const std::string& path,
                         const std::string& sealed_hash) {
  if (sealed_hash.empty() || scan.hash.text() == sealed_hash) return "";
  return path + ": found checksum " + scan.hash.text() + ", but run.json recorded " + sealed_hash +
         " when the run finished: the results were changed since; restore them, or measure the "
         "shard anew";
}

}  // namespace

bool is_merging_folder(std::string_view name) {
  return name.starts_with('.') && name.ends_with(kMerging) && name.size() > 1 + kMerging.size();
}

ShardResults read_shard_results(const std::string& run_directory, const std::string& sealed_hash,
                                const RunInfo& info) {
  ShardResults found;
  found.path = run_directory + "/results.csv";
  try {
    ResultScan scan = scan_results(found.path, VisitOrder::contiguous);
    found.hash = scan.hash.text();
    for (const std::optional<std::string>& end : {scan.torn, scan.incomplete})
      if (end)
        found.mistakes.push_back(*end +
                                 "; the run is finished, so the file is damaged: restore it");
    if (scan.has_header && !scan.own_header)
      found.mistakes.push_back(found.path +
                               ": found other columns than this Plumbline writes; "
                               "merge with the Plumbline that measured");
    if (std::string changed = seal_mistake(scan, found.path, sealed_hash);
        !changed.empty() && found.mistakes.empty())
      found.mistakes.push_back(std::move(changed));
    const Run run{info, std::move(scan.rows), run_directory, {}};
    for (const CaseRows& rows : rows_by_case(run))
      found.cases.push_back({std::string(rows.suite), std::string(rows.case_id)});
    if (found.mistakes.empty()) found.summaries = summarize(run);
  } catch (const Error& error) {
    found.mistakes.emplace_back(error.what());
  }
  return found;
}

// Delegates, so that the destructor removes the folder if this throws.
MergedWriter::MergedWriter(std::string path) : MergedWriter(std::move(path), Unopened{}) {
  const std::string folder = hidden_folder(path_);
  refuse_existing(path_);
  std::error_code problem;
  make_folders(folder, "the run directory");
  lock_ = open_file(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_.get() < 0) fail_with_errno(folder, "open it");
  // File systems without locks (ENOLCK, ENOTSUP) leave that to the user.
  const auto lock = [&] { return ::flock(lock_.get(), LOCK_EX | LOCK_NB); };
  if (uninterrupted(lock) != 0 && errno == EWOULDBLOCK)
    throw Error(path_ + ": another process is merging into it; wait for it or stop it");
  folder_ = folder;                               // it is no other process's
  fs::directory_iterator left(folder_, problem);  // it is gone where another merge just ended
  for (; !problem && left != fs::directory_iterator(); left.increment(problem))
    fs::remove_all(left->path(), problem);
  if (problem) throw Error(folder_ + ": cannot be emptied: " + problem.message());
  const std::string results = folder_ + kUnfinishedResults;
  results_ = open_file(results, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
  if (results_.get() < 0) fail_with_errno(results, "create it");
  if (!write_all(results_.get(), header_line())) fail_with_errno(results, "write it");
  hash_.add(header_line());
}

MergedWriter::~MergedWriter() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

void MergedWriter::append(ShardResults shard) {
  InputFile file(shard.path);
  std::string chunk(kChunkBytes, '\0');
  ContentHash read;
  std::size_t skipped = header_line().size();
  while (const std::size_t got = file.read(chunk.data(), chunk.size())) {
    std::string_view bytes(chunk.data(), got);
    read.add(bytes);
    const std::size_t now = std::min(skipped, bytes.size());
    skipped -= now;
    bytes.remove_prefix(now);
    if (!write_all(results_.get(), bytes)) fail_with_errno(path_ + "/results.csv", "write it");
    hash_.add(bytes);
  }
  if (read.text() != shard.hash)
    throw Error(shard.path + ": it changed while it was merged; wait until nobody writes it");
  std::ranges::move(shard.summaries, std::back_inserter(summaries_));
}

std::uint64_t MergedWriter::finish(const RunInfo& info) {
  if (!sync_file(results_.get())) fail_with_errno(path_ + "/results.csv", "write it");
  const ResultsSeal seal{hash_.size_bytes(), hash_.text()};
  write_summary(folder_, summaries_, seal.hash);
  write_atomically(folder_ + kUnfinishedRecord, run_json_text({info, seal}));
  for (const auto& [from, to] :
       {std::pair{kUnfinishedResults, "/results.csv"}, std::pair{kUnfinishedRecord, "/run.json"}})
    if (::rename((folder_ + from).c_str(), (folder_ + to).c_str()) != 0)
      fail_with_errno(folder_ + to, "give it its name");
  sync_folder(folder_);
  refuse_existing(path_);
  const std::string parent = fs::path(folder_).parent_path().string();
  const std::string target = fs::absolute(path_).lexically_normal().string();
  if (::rename(folder_.c_str(), target.c_str()) != 0)
    fail_with_errno(path_, "give the run its name");
  folder_.clear();
  sync_folder(parent);
  return seal.bytes;
}

}  // namespace plumbline
