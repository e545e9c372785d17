#include "store/shards/run_progress.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "core/uninterrupted.h"
#include "store/csv/csv_reader.h"
#include "store/file.h"

namespace plumbline {
namespace {

/// Position of a column; the number of columns if it is missing, as in a file without rows.
std::size_t column_of(const CsvReader& reader, std::string_view name) {
  return std::size_t(std::ranges::find(reader.header(), name) - reader.header().begin());
}

void count_rows(const std::string& path, ShardProgress& progress) {
  CsvReader reader(path);
  const std::size_t suite = column_of(reader, "suite"), id = column_of(reader, "case"),
                    status = column_of(reader, "status"), part = column_of(reader, "part"),
                    worker = column_of(reader, "worker");
  const std::size_t columns = reader.header().size();
  if (columns > 0 && std::max({suite, id, status, part, worker}) == columns)
    throw Error(path + ": header: a column of suite, case, status, part, worker is missing");
  std::set<std::string> failed;
  while (reader.next()) {
    const std::string_view parts = reader.field(part);
    const std::size_t slash = parts.find('/');
    const bool is_last = slash != parts.npos && parts.substr(0, slash) == parts.substr(slash + 1);
    progress.visits += is_last && !reader.field(worker).empty();
    const auto named = status_named(reader.field(status));
    if (named && is_failure(*named))
      failed.insert(std::string(reader.field(suite)) + '\n' + std::string(reader.field(id)));
  }
  progress.failed_cases = std::int64_t(failed.size());
}

/// Takes the lock for an instant; a run that begins at that moment tries again (run_writer.cpp).
bool is_locked(int fd) {
  if (uninterrupted([&] { return ::flock(fd, LOCK_SH | LOCK_NB); }) != 0)
    return errno == EWOULDBLOCK;
  ::flock(fd, LOCK_UN);
  return false;
}

}  // namespace

ShardProgress read_progress(const std::string& run_directory) {
  const std::string path = run_directory + "/results.csv";
  ShardProgress progress;
  count_rows(path, progress);
  const OpenFile file = open_file(path, O_RDONLY | O_CLOEXEC);
  struct stat found {};
  if (file.get() < 0 || ::fstat(file.get(), &found) != 0) fail_with_errno(path, "open it");
  progress.written_at_s = double(found.st_mtim.tv_sec) + 1e-9 * double(found.st_mtim.tv_nsec);
  progress.is_written = is_locked(file.get());
  return progress;
}

}  // namespace plumbline
