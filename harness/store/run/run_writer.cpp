#include "store/run/run_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/uninterrupted.h"
#include "store/csv/columns.h"
#include "store/file.h"
#include "store/folder.h"
#include "store/run/result_scan.h"
#include "store/run/run_json.h"
#include "store/run/summary.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::string whole_path(const std::string& path) {
  return fs::absolute(path).lexically_normal().string();
}

/// Whether the folder holds only what a run leaves if it is killed before it has a run.json.
bool is_stillborn(const std::string& path) {
  for (const fs::path& entry : entries_of(path)) {
    const std::string name = entry.filename().string();
    const bool is_bare_header =
        name == "results.csv" && fs::file_size(entry) <= header_line().size();
    const bool is_unfinished_json = name != "run.json" && name.starts_with("run.json");
    if (!is_bare_header && !is_unfinished_json && name != "worker.log") return false;
  }
  return true;
}

void create_run_directory(const std::string& path) {
  make_folders(path, "the run directory");
  if (is_stillborn(path)) {
    fs::remove(path + "/results.csv");
    return;
  }
  const bool is_run = fs::exists(path + "/run.json");
  throw Error(path + (is_run ? ": found a run in it" : ": found files in it") +
              ", expected a new or empty directory" +
              (is_run ? "; --resume goes on with an unfinished run" : ""));
}

bool is_cut(int fd, std::uint64_t bytes) {
  return uninterrupted([&] { return ::ftruncate(fd, static_cast<off_t>(bytes)); }) == 0;
}

void append_or_restore(int fd, const std::string& path, std::string_view text,
                       std::uint64_t& good_bytes) {
  if (write_all(fd, text)) {
    good_bytes += text.size();
    return;
  }
  const std::string reason = std::strerror(errno);
  const bool restored = is_cut(fd, good_bytes);
  throw Error(path + ": cannot append to it: " + reason + "; what was written before stays valid" +
              (restored ? "" : ", though the file ends in a torn row") +
              ": make room and go on with --resume");
}

}  // namespace

RunWriter::RunWriter(std::string path, RunInfo info, RowsKept kept)
    : path_(std::move(path)), run_{std::move(info), {}, whole_path(path_), {}}, kept_(kept) {
  create_run_directory(path_);
  run_.info.finished_at.clear();
  open_results(true);
  if (!write_all(file_.get(), header_line())) fail_with_errno(results_path(), "write it");
  good_bytes_ = header_line().size();
  hash_.add(header_line());
  // Written last: a folder with run.json always has a readable results.csv.
  write_atomically(path_ + "/run.json", run_json_text({run_.info}));
}

RunWriter::RunWriter(std::string path, Run run, RowsKept kept)
    : path_(std::move(path)), run_(std::move(run)), kept_(kept) {}

void RunWriter::open_results(bool create) {
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | (create ? O_CREAT | O_EXCL : 0);
  file_ = open_file(results_path(), flags);
  if (file_.get() < 0)
    fail_with_errno(results_path(), create ? "create it" : "open it for writing");
  // Without lock support (ENOLCK, ENOTSUP) only the device's lock protects the run. `status` holds
  // the lock for an instant.
  constexpr int kTries = 10;
  const auto lock = [&] { return ::flock(file_.get(), LOCK_EX | LOCK_NB); };
  for (int i = 0; uninterrupted(lock) != 0 && errno == EWOULDBLOCK; ++i) {
    if (i == kTries)
      throw Error(results_path() + ": another process is writing this run; wait for it or stop it");
    ::usleep(10'000);
  }
}

void RunWriter::append_visit(std::span<const ResultRow> rows) {
  if (rows.empty()) throw Error(results_path() + ": found a visit without rows");
  for (const ResultRow& row : rows)
    if (visit_of(row) != visit_of(rows.front()))
      throw Error(results_path() + ": found rows of " + shown(rows.front().case_id) + " and of " +
                  shown(row.case_id) +
                  ", expected rows of one suite, case, round and worker in a visit");
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].part != std::int64_t(i) + 1 || rows[i].parts != std::int64_t(rows.size()))
      throw Error(results_path() + ": found rows of " + shown(rows[i].case_id) +
                  " that are not numbered as one visit");
    append_row(rows[i], text);
  }
  append_or_restore(file_.get(), results_path(), text, good_bytes_);
  hash_.add(text);
  if (kept_ == RowsKept::all) run_.rows.insert(run_.rows.end(), rows.begin(), rows.end());
}

void RunWriter::record_worker(const WorkerRecord& worker) {
  const auto is_same = [&](const WorkerRecord& known) {
    return known.name == worker.name && known.round == worker.round &&
           known.started_at == worker.started_at;
  };
  const auto found = std::ranges::find_if(run_.info.workers, is_same);
  if (found == run_.info.workers.end())
    run_.info.workers.push_back(worker);
  else
    *found = worker;
  if (worker.measurement_revision > 0) run_.info.measurement_revision = worker.measurement_revision;
  if (run_.info.calibration.empty()) run_.info.calibration = worker.calibration;
  write_atomically(path_ + "/run.json", run_json_text({run_.info}));
}

void RunWriter::record_devices(const std::vector<std::string>& uuids) {
  std::vector<std::string>& known = run_.info.environment.device_uuids;
  const std::size_t before = known.size();
  for (const std::string& uuid : uuids)
    if (std::ranges::find(known, uuid) == known.end()) known.push_back(uuid);
  if (known.size() > before) write_atomically(path_ + "/run.json", run_json_text({run_.info}));
}

void RunWriter::record_files(const std::string& suite, std::span<const FileRef> files) {
  const auto known = std::ranges::find(run_.info.suites, suite, &SuiteRef::name);
  if (known == run_.info.suites.end()) return;
  bool has_grown = false;
  for (const FileRef& file : files) {
    const auto before = std::ranges::find(known->sources, file.path, &FileRef::path);
    if (before == known->sources.end()) {
      known->sources.push_back(file);
      has_grown = true;
    } else if (before->hash != file.hash) {
      throw Error(
          file.path + ": it changed while " + path_ + " was measured (hash " + before->hash +
          " before, " + file.hash +
          " now); a run measures one version of a file: start a new run in another directory");
    }
  }
  if (has_grown) write_atomically(path_ + "/run.json", run_json_text({run_.info}));
}

void RunWriter::for_each_own_part(const OnPart& on_part) const {
  if (kept_ == RowsKept::none) return for_each_part(results_path(), run_.info, on_part);
  on_part(run_);
}

std::vector<CaseSummary> RunWriter::finish(const std::string& finished_at, const OnPart& on_part) {
  if (!sync_file(file_.get())) fail_with_errno(results_path(), "write it");
  if (hash_of_file(results_path()).text() != hash_.text())
    throw Error(results_path() +
                ": found other bytes than this run wrote: somebody changed it meanwhile; the run "
                "cannot be finished: look at the file, then go on with --resume");
  RunInfo finished = run_.info;
  finished.finished_at = finished_at;
  const ResultsSeal seal{hash_.size_bytes(), hash_.text()};
  std::swap(run_.info, finished);
  std::vector<CaseSummary> summaries;
  try {
    for_each_own_part([&](const Run& part) {
      std::vector<CaseSummary> rows = summarize(part);
      std::ranges::move(rows, std::back_inserter(summaries));
      if (on_part) on_part(part);
    });
    write_summary(run_.path, summaries, seal.hash);
    write_atomically(path_ + "/run.json", run_json_text({run_.info, seal}));
    return summaries;
  } catch (const Error&) {
    run_.info.finished_at.clear();
    throw;
  }
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
  Resumed resumed{RunWriter(path, Run{std::move(info), {}, whole_path(path), {}}, RowsKept::none),
                  {}};
  RunWriter& file = resumed.writer;
  file.open_results(false);
  const ResultScan scan = scan_visits(file.results_path(), resumed.visits);
  if (scan.has_header && !scan.own_header)
    throw Error(file.results_path() +
                ": found other columns than this Plumbline writes; go on "
                "with the Plumbline that began the run");
  for (const std::optional<std::string>& end : {scan.torn, scan.incomplete})
    if (end) file.run_.warnings.push_back(*end + "; dropped, to be measured again");
  file.good_bytes_ = scan.has_header ? scan.visit_bytes : 0;
  if (!is_cut(file.file_.get(), file.good_bytes_))
    fail_with_errno(file.results_path(), "drop its torn end");
  file.hash_ = hash_of_file(file.results_path());
  if (!scan.has_header) {
    append_or_restore(file.file_.get(), file.results_path(), header_line(), file.good_bytes_);
    file.hash_.add(header_line());
  }
  return resumed;
}

}  // namespace plumbline
