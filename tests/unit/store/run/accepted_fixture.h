/// Accepts runs in a temporary folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "store/run/baseline.h"
#include "store/run/run_reader.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline::accepted {

inline const Acceptance kAcceptance{"Ada", "first one", "2026-01-02T00:00:00Z", ""};

/// Runs and baselines in a temporary folder.
struct Fixture {
  TemporaryFolder folder;
  std::string baselines = folder / "baselines";
  std::string csv = baselines + "/nvidia-h200/synthetic.csv";
  int runs = 0;

  /// The run after writing and reading it.
  plumbline::Run on_disk(const plumbline::Run& run) {
    const std::string path = folder / ("run" + std::to_string(runs++));
    write_run(run, path);
    return read_run(path);
  }
  std::string error_of(const plumbline::Run& run) {
    try {
      accept(run, baselines, kAcceptance);
    } catch (const plumbline::Error& error) {
      std::string message = error.what();
      if (const auto at = message.find(folder.path()); at != std::string::npos)
        message.replace(at, folder.path().size(), "DIR");
      return message;
    }
    return "no error";
  }
};

inline void keep_cases(plumbline::Run& run, std::size_t first, std::size_t count, std::size_t all) {
  std::vector<ResultRow> kept;
  const std::size_t parts = std::size_t(run.rows[0].parts);
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const std::size_t position = i / parts % all;
    if (position >= first && position < first + count) kept.push_back(run.rows[i]);
  }
  run.rows = std::move(kept);
}

}  // namespace plumbline::accepted
