/// Comparisons with planted changes, and pages for tests/browser/ with their planted facts.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "analysis/compare/compare.h"
#include "reports/report.h"
#include "store/recorded/evidence.h"
#include "support/places.h"
#include "unit/reports/synthetic.h"

namespace plumbline {

inline constexpr std::size_t kSlower = 7, kFaster = 33, kBroken = 51, kMissing = 70, kNew = 71;

inline double planted(std::size_t i) { return i == kSlower ? 1.06 : i == kFaster ? 0.91 : 1.0; }

/// A candidate with one case of each kind, and its baseline.
struct Planted {
  SyntheticRun source{SyntheticShape{.cases = 80}};
  Run baseline = source.make(1, [](std::size_t) { return 1.0; });
  Run candidate = source.make(2, planted);
  Comparison comparison;

  Planted() {
    fail_case(candidate, source.id(kBroken), Status::crashed, "worker died by signal 11 (SIGSEGV)");
    std::erase_if(candidate.rows,
                  [&](const ResultRow& row) { return row.case_id == source.id(kMissing); });
    std::erase_if(baseline.rows,
                  [&](const ResultRow& row) { return row.case_id == source.id(kNew); });
    comparison = compare(baseline, candidate, default_rule("cuda"));
    explain(comparison, baseline, candidate);
  }
  ReportInput input() const { return {&candidate, &baseline, &comparison}; }
};

/// The bfloat16 cases of softmax are slower, and run with more registers.
struct SlowerRegion {
  SyntheticRun source{SyntheticShape{.cases = 120}};
  Run baseline = source.make(1, [](std::size_t) { return 1.0; });
  Run candidate = source.make(2, [](std::size_t i) { return is_slower(i) ? 1.08 : 1.0; });
  Comparison comparison;

  static bool is_slower(std::size_t i) { return i % 6 == 0 && i / 6 % 3 == 2; }  // bfloat16
  SlowerRegion() {
    for (ResultRow& row : candidate.rows)
      if (is_slower(std::size_t(row.order)))
        row.kernels = kernels_json(128, "softmax_kernel<float, 256>");
    comparison = compare(baseline, candidate, default_rule("cuda"));
    explain(comparison, baseline, candidate);
  }
  ReportInput input() const { return {&candidate, &baseline, &comparison}; }
};

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// For tests/browser/: writes the page and, beside it, its planted facts.
inline void write_page(const std::string& name, const std::string& page, const std::string& expect,
                       const char* folder_name = "pages") {
  const auto folder = build_dir() / "tests" / folder_name;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / (name + ".html")) << page;
  std::ofstream(folder / (name + ".json")) << expect;
}

}  // namespace plumbline
