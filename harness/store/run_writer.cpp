#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "store/columns.h"
#include "store/file.h"
#include "store/result_scan.h"
#include "store/run_directory.h"
#include "store/run_json.h"
#include "store/summary.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Holds only what a run leaves that was killed before it had a run.json: nothing was measured.
bool is_stillborn(const std::string& path) {
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    const bool is_bare_header = name == "results.csv" && entry.file_size() <= header_line().size();
    const bool is_unfinished_json = name != "run.json" && name.starts_with("run.json");
    if (!is_bare_header && !is_unfinished_json && name != "worker.log") return false;
  }
  return true;
}

void create_run_directory(const std::string& path) {
  std::error_code problem;
  fs::create_directories(path, problem);
  if (problem) throw Error(path + ": cannot create the run directory: " + problem.message());
  if (is_stillborn(path)) {
    fs::remove(path + "/results.csv");
    return;
  }
  if (problem) throw Error(path + ": cannot look into it: " + problem.message());
  const bool is_run = fs::exists(path + "/run.json");
  throw Error(path + (is_run ? ": found a run in it" : ": found files in it") +
              ", expected a new or empty directory" +
              (is_run ? "; --resume goes on with an unfinished run" : ""));
}

void append_or_restore(int fd, const std::string& path, std::string_view text,
                       std::uint64_t& good_bytes) {
  if (write_all(fd, text)) {
    good_bytes += text.size();
    return;
  }
  const std::string reason = std::strerror(errno);
  const bool restored = ::ftruncate(fd, static_cast<off_t>(good_bytes)) == 0;
  throw Error(path + ": cannot append to it: " + reason + "; what was written before stays valid" +
              (restored ? "" : ", though the file ends in a torn row") +
              ": make room and go on with --resume");
}

}  // namespace

RunWriter::RunWriter(std::string path, RunInfo info)
    : path_(std::move(path)), info_(std::move(info)) {
  create_run_directory(path_);
  info_.finished_at.clear();
  open_results(true);
  if (!write_all(file_.get(), header_line())) fail_with_errno(results_path(), "write it");
  good_bytes_ = header_line().size();
  // Only now is it a run: whoever finds run.json finds a readable results.csv beside it.
  write_atomically(path_ + "/run.json", run_json_text({info_, std::nullopt}));
}

RunWriter::RunWriter(std::string path, RunInfo info, std::uint64_t good_bytes)
    : path_(std::move(path)), info_(std::move(info)), good_bytes_(good_bytes) {}

void RunWriter::open_results(bool create) {
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | (create ? O_CREAT | O_EXCL : 0);
  file_ = OpenFile(::open(results_path().c_str(), flags, 0666));
  if (file_.get() < 0)
    fail_with_errno(results_path(), create ? "create it" : "open it for writing");
  // A file system without locks (ENOLCK, ENOTSUP) leaves it to the lock of the device.
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(results_path() + ": another process is writing this run; wait for it or stop it");
}

void RunWriter::append_visit(std::span<const ResultRow> rows) {
  if (rows.empty()) throw Error(results_path() + ": found a visit without rows");
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (visit_of(rows[i]) != visit_of(rows.front()))
      throw Error(results_path() + ": found rows of " + shown(rows.front().case_id) + " and of " +
                  shown(rows[i].case_id) +
                  ", expected rows of one suite, case, round and worker in a visit");
    ResultRow numbered = rows[i];
    numbered.part = static_cast<std::int64_t>(i) + 1;
    numbered.parts = static_cast<std::int64_t>(rows.size());
    append_row(numbered, text);
  }
  append_or_restore(file_.get(), results_path(), text, good_bytes_);
}

void RunWriter::record_worker(const WorkerRecord& worker) {
  const auto is_same = [&](const WorkerRecord& known) {
    return known.name == worker.name && known.round == worker.round &&
           known.started_at == worker.started_at;
  };
  const auto found = std::ranges::find_if(info_.workers, is_same);
  if (found == info_.workers.end())
    info_.workers.push_back(worker);
  else
    *found = worker;
  if (info_.calibration.empty()) info_.calibration = worker.calibration;
  write_atomically(path_ + "/run.json", run_json_text({info_, std::nullopt}));
}

void RunWriter::record_files(const std::string& suite, std::span<const FileRef> files) {
  const auto known = std::ranges::find(info_.suites, suite, &SuiteRef::name);
  if (known == info_.suites.end()) return;
  bool has_grown = false;
  for (const FileRef& file : files) {
    const auto before = std::ranges::find(known->sources, file.path, &FileRef::path);
    if (before == known->sources.end()) {
      known->sources.push_back(file);
      has_grown = true;
    } else if (before->hash != file.hash) {
      throw Error(file.path + ": it changed while " + path_ + " was measured (hash " +
                  before->hash + " before, " + file.hash +
                  " now); a run is about one version of it: measure anew, into another directory");
    }
  }
  if (has_grown) write_atomically(path_ + "/run.json", run_json_text({info_, std::nullopt}));
}

void RunWriter::finish(const std::string& finished_at) {
  if (::fdatasync(file_.get()) != 0 && errno != EINVAL) fail_with_errno(results_path(), "write it");
  ResultScan scan = scan_results(results_path(), VisitOrder::contiguous);
  for (const std::optional<std::string>& end : {scan.torn, scan.incomplete})
    if (end) throw Error(*end + "; the run cannot be finished: go on with --resume");
  RunInfo finished = info_;
  finished.finished_at = finished_at;
  const ResultsSeal seal{scan.hash.size_bytes(), scan.hash.text()};
  write_summary(Run{finished, std::move(scan.rows), path_, {}}, seal.hash);
  write_atomically(path_ + "/run.json", run_json_text({finished, seal}));
  info_ = std::move(finished);
}

RunWriter::Resumed RunWriter::resume(const std::string& path) {
  if (!fs::exists(path + "/run.json"))
    throw Error(path +
                ": found no run.json, expected the directory of an unfinished run; start "
                "the run anew without --resume");
  RunInfo info = read_run_json(path + "/run.json").info;
  if (!info.finished_at.empty())
    throw Error(path + ": found a run that finished at " + info.finished_at +
                ", expected an unfinished one; start a new run instead of --resume");
  RunWriter writer(path, info, 0);
  writer.open_results(false);
  ResultScan scan = scan_results(writer.results_path(), VisitOrder::contiguous);
  if (scan.has_header && !scan.own_header)
    throw Error(writer.results_path() +
                ": found other columns than this Plumbline writes; go on "
                "with the Plumbline that began the run");
  Resumed resumed{std::move(writer), Run{std::move(info), {}, path, {}}, std::move(scan.visits)};
  for (const std::optional<std::string>& end : {scan.torn, scan.incomplete})
    if (end) resumed.run.warnings.push_back(*end + "; dropped, to be measured again");
  scan.rows.resize(scan.visit_rows);
  resumed.run.rows = std::move(scan.rows);
  RunWriter& file = resumed.writer;
  file.good_bytes_ = scan.has_header ? scan.visit_bytes : 0;
  if (::ftruncate(file.file_.get(), static_cast<off_t>(file.good_bytes_)) != 0)
    fail_with_errno(file.results_path(), "drop its torn end");
  if (!scan.has_header)
    append_or_restore(file.file_.get(), file.results_path(), header_line(), file.good_bytes_);
  return resumed;
}

}  // namespace plumbline
