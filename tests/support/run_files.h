/// Runs on disk for tests: a temporary folder, a full disk, a run written visit by visit.
#pragma once

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>

#include "core/run/run.h"
#include "store/run/run_writer.h"

namespace plumbline {

/// A folder that is removed with its object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "plumbline-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) ? name : "";
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// During its lifetime, no file can grow beyond `bytes`, like on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_file(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Appends the rows; their parts tell where visits end.
inline void append_rows(RunWriter& writer, std::span<const ResultRow> rows) {
  for (std::size_t begin = 0; begin < rows.size();) {
    const auto parts = static_cast<std::size_t>(rows[begin].parts);
    writer.append_visit(rows.subspan(begin, parts));
    begin += parts;
  }
}

/// Writes the run as a run directory, as finished if it is finished.
inline void write_run(const Run& run, const std::string& path) {
  RunWriter writer(path, run.info);
  append_rows(writer, run.rows);
  if (!run.info.finished_at.empty()) writer.finish(run.info.finished_at);
}

}  // namespace plumbline
