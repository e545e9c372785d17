/// A run directory for the tests of its reader and its writer.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "store/csv/columns.h"
#include "store/run/run_reader.h"
#include "store/run/run_writer.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {

inline constexpr SyntheticShape kSmall{
    .cases = 3, .metrics = 2, .rounds = 2, .blocks = 2, .samples = 2};

inline std::string text_of(const std::vector<ResultRow>& rows) {
  std::string text;
  for (ResultRow row : rows) {
    row.spent_s.clear();  // readers do not keep it
    append_row(row, text);
  }
  return text;
}

/// The message of the Error that `action` throws, with `path` replaced by RUN.
template <class Action>
std::string message_of(const std::string& path, Action action) {
  try {
    action();
  } catch (const Error& error) {
    std::string message = error.what();
    for (std::size_t at = 0; (at = message.find(path, at)) != std::string::npos; at += 3)
      message.replace(at, path.size(), "RUN");
    return message;
  }
  return "no error";
}

/// A run directory, written from a synthetic run; tests then damage it.
class RunDirectory : public testing::Test {
 protected:
  void write(bool finished, const SyntheticShape& shape = kSmall) {
    run_ = synthetic_run(shape);
    if (!finished) run_.info.finished_at.clear();
    write_run(run_, path_);
  }
  std::string results() const { return path_ + "/results.csv"; }
  std::string json() const { return path_ + "/run.json"; }
  void replace(const std::string& file, const std::string& what, const std::string& by) {
    std::string text = file_text(file);
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    write_file(file, text.replace(at, what.size(), by));
  }
  std::string read_error() const {
    return message_of(path_, [&] { read_run(path_); });
  }
  std::string resume_error() const {
    return message_of(path_, [&] { RunWriter::resume(path_); });
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "run";
  plumbline::Run run_;
};

}  // namespace plumbline
