#include "workflow/judge/measured_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/words.h"
#include "store/run/run_reader.h"
#include "store/verdict/comparison_json.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// The pairs of all folders: both sides' runs as one each, and what `ab` refused to judge.
struct JoinedPairs {
  std::array<Run, 2> runs;
  std::map<CaseKey, std::string> refused;
};

std::set<CaseKey> cases_of(const Run& run) {
  std::set<CaseKey> cases;
  for (const ResultRow& row : run.rows) cases.insert({row.suite, row.case_id});
  return cases;
}

Run read_side(const std::string& folder, const char* side, Talk& talk) {
  const std::string path = folder + "/" + side;
  if (!fs::exists(path + "/run.json"))
    throw Error("--pairs " + folder + ": found no run '" + side + "', expected a folder of `ab`");
  Run run = read_run(path);
  talk.notes(run.warnings);
  if (run.info.finished_at.empty())
    throw Error("--pairs " + folder + ": these pairs were interrupted and judge nothing");
  return run;
}

void add_refused(const std::string& folder, std::map<CaseKey, std::string>& refused) {
  const std::string path = folder + "/comparison.json";
  if (!fs::exists(path)) return;
  for (const Finding& finding : read_comparison(path).findings)
    if (finding.verdict == Verdict::not_judged && finding.pairs > 0)
      refused.emplace(CaseKey{finding.suite, finding.case_id}, finding.reason);
}

JoinedPairs read_pairs(const std::vector<std::string>& folders, const Run& candidate, Talk& talk) {
  JoinedPairs joined;
  std::map<CaseKey, std::string> measured;
  for (const std::string& folder : folders) {
    for (std::size_t i = 0; i < joined.runs.size(); ++i) {
      Run run = read_side(folder, i == 0 ? "a" : "b", talk);
      const std::string& of_pairs = run.info.environment.device_class;
      if (of_pairs != candidate.info.environment.device_class)
        throw Error(fmt::format("--pairs {}: they were measured on {}, the run on {}", folder,
                                of_pairs, candidate.info.environment.device_class));
      if (i == 1)
        for (const CaseKey& key : cases_of(run))
          if (const auto [place, is_new] = measured.emplace(key, folder); !is_new)
            throw Error(
                fmt::format("--pairs: {} and {} both have {}", place->second, folder, key.case_id));
      Run& whole = joined.runs[i];
      if (whole.path.empty())
        whole = std::move(run);
      else
        whole.rows.insert(whole.rows.end(), run.rows.begin(), run.rows.end());
    }
    add_refused(folder, joined.refused);
  }
  return joined;
}

Run first_pairs(const Run& run, std::size_t pairs) {
  Run part = run;
  std::erase_if(part.rows, [&](const ResultRow& row) { return std::size_t(row.round) >= pairs; });
  return part;
}

/// Judges look by look, as while measuring. A case that its own folder's family had decided earlier
/// has no more pairs: it then stays as its last pairs leave it.
PairedTrial replayed(const std::array<Run, 2>& runs, const PairedRule& rule,
                     const std::map<CaseKey, double>& thresholds) {
  PairedTrial trial(rule, thresholds);
  for (std::size_t look = 0; look < rule.looks.size() && !trial.is_done(); ++look) {
    const Run a = first_pairs(runs[0], rule.looks[look]),
              b = first_pairs(runs[1], rule.looks[look]);
    trial.look_at(a, b, look);
    if (a.rows.size() == runs[0].rows.size() && b.rows.size() == runs[1].rows.size()) break;
  }
  return trial;
}

std::string name_of(const Run& side, const char* unnamed) {
  constexpr std::size_t kShort = 10;
  const std::string& commit = side.info.environment.commit;
  return commit.empty() ? unnamed : commit.substr(0, kShort);
}

PairedSides sides_of(const std::array<Run, 2>& runs) {
  const bool have_one_worker =
      runs[0].info.environment.worker_hash == runs[1].info.environment.worker_hash;
  return {runs[0],
          runs[1],
          name_of(runs[0], "the baseline's side"),
          name_of(runs[1], "this side"),
          !have_one_worker,
          have_one_worker,
          "",
          ""};
}

}  // namespace

std::string doubts_text(const Doubts& doubts, const Run& candidate) {
  const std::set<CaseKey> cases = doubts.all();
  std::map<CaseKey, std::string> devices;
  for (const ResultRow& row : candidate.rows) {
    const CaseKey key{row.suite, row.case_id};
    if (cases.contains(key)) devices[key] = row.device;
  }
  std::set<std::string> lines;  // suites may share an id
  for (const auto& [key, device] : devices) lines.insert(device + "\t" + key.case_id + "\n");
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

void confirm_by_folders(const std::vector<std::string>& folders, const Thresholds& thresholds,
                        const DoubtedComparison& judged, Talk& talk) {
  JoinedPairs pairs = read_pairs(folders, judged.candidate, talk);
  PairedRule rule = default_paired_rule(judged.candidate.info.environment.device_kind);
  if (thresholds.margin) rule.margin = *thresholds.margin;
  if (thresholds.threshold) rule.effect_floor = *thresholds.threshold;
  const PairedTrial trial = replayed(pairs.runs, rule, judged.options.thresholds);
  SideCode code =
      compare_code(judged.baseline, judged.candidate, sides_of(pairs.runs), judged.options);
  code.refused.merge(pairs.refused);
  confirm(judged.comparison, judged.doubts, trial, pairs.runs, code);
  refuse(code, judged.comparison);
  const auto measured = trial.outcomes();
  const auto flagged = std::ranges::count_if(
      judged.doubts.flagged, [&](const CaseKey& key) { return !measured.contains(key); });
  if (flagged > 0)
    judged.comparison.notes.push_back(
        fmt::format("{} that looked changed {} no pairs in the folders of --pairs.",
                    counted(std::size_t(flagged), "case"), flagged == 1 ? "has" : "have"));
}

}  // namespace plumbline
