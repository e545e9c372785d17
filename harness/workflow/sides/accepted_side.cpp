#include "workflow/sides/accepted_side.h"

#include <algorithm>
#include <filesystem>

#include "core/run/case.h"
#include "store/file.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

bool is_as_recorded(const std::string& root, const std::string& path, const std::string& hash) {
  const fs::path file = fs::path(root) / path;
  return fs::is_regular_file(file) && stable_hash_text(read_text(file.string())) == hash;
}

bool is_commit_of(const Side& side, const Environment& accepted) {
  return !side.commit.empty() && side.commit == accepted.commit && side.dirty == "no" &&
         accepted.dirty == false;
}

std::set<std::string> other_suites(const Run& accepted, const Side& side) {
  std::set<std::string> names;
  for (const SuiteRef& suite : accepted.info.suites) {
    const auto is_changed = [&](const FileRef& file) {
      return !is_as_recorded(side.root, file.path, file.hash);
    };
    if (!is_as_recorded(side.root, suite.path, suite.hash) ||
        std::ranges::any_of(suite.sources, is_changed))
      names.insert(suite.name);
  }
  return names;
}

}  // namespace

std::set<CaseKey> cases_of_other_code(const Comparison& screened, const Run& accepted,
                                      const Side& side) {
  if (is_commit_of(side, accepted.info.environment)) return {};
  const std::set<std::string> suites = other_suites(accepted, side);
  std::set<std::string> with_code;  // suites; cases may have other ids today
  for (const ResultRow& row : accepted.rows)
    if (!row.code.empty()) with_code.insert(row.suite);
  std::set<CaseKey> cases;
  for (const Finding& finding : screened.findings)
    if (finding.p_value && suites.contains(finding.suite) && with_code.contains(finding.suite))
      cases.insert({finding.suite, finding.case_id});
  return cases;
}

}  // namespace plumbline
