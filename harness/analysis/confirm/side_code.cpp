#include "analysis/confirm/side_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/estimate/estimate.h"

namespace plumbline {
namespace {

using Codes = std::map<CaseKey, std::string>;

/// The code hash of each case that has rows with samples; "" if none was recorded.
Codes codes_of(const Run& run) {
  Codes codes;
  for (const ResultRow& row : run.rows) {
    if (!has_samples(row.status)) continue;
    std::string& code = codes[{row.suite, row.case_id}];
    if (code.empty()) code = row.code;
  }
  return codes;
}

/// A baseline's cases under today's names.
Codes renamed(const Codes& codes, const std::map<CaseKey, std::string>& renames) {
  Codes today;
  for (const auto& [before, code] : codes) {
    CaseKey key = before;
    for (auto found = renames.find(key); found != renames.end(); found = renames.find(key))
      key.case_id = found->second;
    today.emplace(key, code);
  }
  return today;
}

std::string code_in(const Codes& codes, const CaseKey& key) {
  const auto found = codes.find(key);
  return found == codes.end() ? "" : found->second;
}

bool are_known(const std::string& a, const std::string& b) { return !a.empty() && !b.empty(); }

/// True if the sides run the same apart from the case's own code.
bool share_the_rest(const PairedSides& sides) {
  return sides.have_one_worker && sides.a.info.variables == sides.b.info.variables &&
         sides.a.info.environment.worker_hash == sides.b.info.environment.worker_hash;
}

/// Files of a suite whose recorded hashes differ between two runs: "kernels/gelu.cu, gelu.h".
std::string changed_files(const Run& before, const Run& now, const std::string& suite) {
  std::string names;
  for (const SuiteRef& was : before.info.suites)
    for (const SuiteRef& is : now.info.suites) {
      if (was.name != suite || is.name != suite) continue;
      for (const FileRef& file : was.sources) {
        const auto found = std::ranges::find(is.sources, file.path, &FileRef::path);
        if (found != is.sources.end() && found->hash != file.hash)
          names += (names.empty() ? "" : ", ") + file.path;
      }
    }
  return names;
}

/// " (files of the suite that changed: kernels/gelu.cu)"
std::string quoted(const std::string& names) {
  return names.empty() ? "" : " (files of the suite that changed: " + names + ")";
}

bool is_in(const std::string& path, const std::string& folder) {
  return path.starts_with(folder + '/');
}

/// The first file of the run's suites that lies in the other side's tree. "" if one tree contains
/// the other: then it is unknown to which side a file belongs.
std::string foreign_file(const Run& run, const std::string& suite, const std::string& own,
                         const std::string& other) {
  if (own.empty() || other.empty() || own == other || is_in(own, other) || is_in(other, own))
    return "";
  for (const SuiteRef& ref : run.info.suites)
    for (const FileRef& file : ref.sources)
      if (ref.name == suite && is_in(file.path, other)) return file.path;
  return "";
}

/// Why a case of the suite that runs the same code on both sides is not judged; "" if neither side
/// read the other's files.
std::string foreign_reason(const PairedSides& sides, const std::string& suite) {
  for (const bool is_a : {true, false}) {
    const std::string file = is_a ? foreign_file(sides.a, suite, sides.root_a, sides.root_b)
                                  : foreign_file(sides.b, suite, sides.root_b, sides.root_a);
    if (!file.empty())
      return fmt::format(
          "{} reads {}, which is a file of {}: both sides run the same; name it "
          "from the suite's folder (a library that others link: by rpath or LD_LIBRARY_PATH)",
          is_a ? sides.name_a : sides.name_b, file, is_a ? sides.name_b : sides.name_a);
  }
  return "";
}

std::string same_bytes_reason(const Run& baseline, const Run& candidate, const PairedSides& sides,
                              const std::string& suite, const std::string& was,
                              const std::string& is, const std::string& ran) {
  const bool is_by_code = are_known(was, is) && was != is;
  return fmt::format(
      "both sides of the pairs ran the same bytes, although {} of the baseline and of this run "
      "differ{}: {}",
      is_by_code ? "the code" : "the workers",
      is_by_code ? quoted(changed_files(baseline, candidate, suite)) : "",
      is_by_code && ran == was ? sides.name_b + " is not what this run measured"
                               : sides.name_a + " is not what the baseline was measured with");
}

void add_foreign(const PairedSides& sides, const Codes& a, const Codes& b, SideCode& result) {
  for (const auto& [key, code] : b)
    if (are_known(code, code_in(a, key)) && code == code_in(a, key))
      if (std::string why = foreign_reason(sides, key.suite); !why.empty())
        result.refused.emplace(key, std::move(why));
}

}  // namespace

SideCode compare_code(const Run& baseline, const Run& candidate, const PairedSides& sides,
                      const CompareOptions& options) {
  SideCode result;
  const Codes accepted = renamed(codes_of(baseline), options.renames), run = codes_of(candidate),
              a = codes_of(sides.a), b = codes_of(sides.b);
  const bool rest_is_shared = share_the_rest(sides);
  const bool other_worker =
      sides.have_own_workers &&
      are_known(baseline.info.environment.worker_hash, candidate.info.environment.worker_hash) &&
      baseline.info.environment.worker_hash != candidate.info.environment.worker_hash;
  for (const auto& [key, of_b] : b) {
    const std::string was = code_in(accepted, key), is = code_in(run, key), of_a = code_in(a, key);
    const bool has_code = are_known(was, is);
    const bool is_recorded_to_differ = (has_code && was != is) || other_worker;
    if (is_recorded_to_differ && of_a == of_b && rest_is_shared)
      result.refused.emplace(
          key, same_bytes_reason(baseline, candidate, sides, key.suite, was, is, of_a));
    else if (has_code && !of_a.empty() && was != of_a)
      result.not_accepted.emplace(
          key, fmt::format("{} is not what the baseline was measured with{}", sides.name_a,
                           quoted(changed_files(baseline, sides.a, key.suite))));
  }
  add_foreign(sides, a, b, result);
  if (!result.not_accepted.empty())
    result.notes.push_back(
        fmt::format("{0}: these cases ({1}) are judged by the pairs, beside {2} as it is today, "
                    "and not by what "
                    "was accepted.",
                    result.not_accepted.begin()->second, result.not_accepted.size(), sides.name_a));
  return result;
}

SideCode compare_code(const PairedSides& sides) {
  SideCode result;
  const Codes a = codes_of(sides.a), b = codes_of(sides.b);
  add_foreign(sides, a, b, result);
  const auto is_same = [&](const auto& one) {
    const auto other = a.find(one.first);
    return other != a.end() && other->second == one.second;
  };
  if (result.refused.empty() && !b.empty() && share_the_rest(sides) &&
      std::ranges::all_of(b, is_same))
    result.notes.emplace_back(
        "Both sides ran the same bytes in every case, with the same worker and variables, as far "
        "as recorded: a difference is chance, or comes from files that code reads while it runs.");
  return result;
}

void refuse(const SideCode& code, Comparison& comparison) {
  std::set<CaseKey> told;
  for (Finding& finding : comparison.findings) {
    const CaseKey key{finding.suite, finding.case_id};
    const auto why = code.refused.find(key);
    if (why == code.refused.end() || !finding.change) continue;
    finding.verdict = Verdict::not_judged;
    finding.reason = why->second;
    finding.change = finding.change_low = finding.change_high = std::nullopt;
    finding.p_value = finding.adjusted_p = finding.detectable = std::nullopt;
    finding.blind.reset();
    told.insert(key);
  }
  if (!told.empty())
    comparison.notes.push_back(
        fmt::format("{} of the cases that were measured in pairs {} not judged: {}.", told.size(),
                    told.size() == 1 ? "is" : "are", code.refused.at(*told.begin())));
  comparison.notes.insert(comparison.notes.end(), code.notes.begin(), code.notes.end());
  sort_findings(comparison.findings);
}

}  // namespace plumbline
