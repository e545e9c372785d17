#include "workflow/shards/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/words.h"
#include "store/shards/merged_writer.h"
#include "workflow/run/resume_command.h"
#include "workflow/shards/found_shards.h"
#include "workflow/shards/merged_info.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

using Mistakes = std::vector<std::string>;

/// Shards that are read at a time: bounds the memory on machines with many processors.
constexpr std::size_t kMostAtOnce = 8;
constexpr std::size_t kMostNamed = 20;

/// The shards to be merged.
struct Shards {
  std::vector<FoundRun> finished;  // in the order of their numbers
  std::int64_t count = 0;
  std::vector<std::string> missing;
};

bool is_same_place(const std::string& a, const std::string& b) {
  return fs::weakly_canonical(a) == fs::weakly_canonical(b);
}

/// Leaves out merged runs that lie among the shards, as the output may.
void leave_out_merged(const MergeRequest& request, std::vector<FoundRun>& runs, Talk& talk) {
  std::erase_if(runs, [&](const FoundRun& run) {
    const bool is_named = std::ranges::any_of(
        request.inputs, [&](const std::string& input) { return is_same_place(input, run.path); });
    if (run.file.info.shards.empty() || is_named) return false;
    if (!is_same_place(request.output, run.path))
      talk.note(run.path + " is a merged run and is left out");
    return true;
  });
}

std::string unfinished_text(const FoundRun& run) {
  return fmt::format("{}: shard {} is not finished; go on with:\n  {}", run.path,
                     run.file.info.shard, resume_command(run.file.info.command, run.path));
}

/// Finds runs that are no shards, doubles and unfinished ones.
Shards sorted_shards(const MergeRequest& request, std::vector<FoundRun> runs, Mistakes& mistakes,
                     Talk& talk) {
  Shards shards;
  std::map<ShardNumber, std::string> known;
  std::ranges::stable_sort(runs, {}, [](const FoundRun& run) {
    return shard_number(run.file.info.shard).value_or(ShardNumber{0, 0});
  });
  for (FoundRun& run : runs) {
    const RunInfo& info = run.file.info;
    const auto number = shard_number(info.shard);
    if (!number) {
      mistakes.push_back(run.path + (info.shards.empty()
                                         ? ": found a run that is no shard (`run --shard i/n`)"
                                         : ": found a merged run; name its shards instead"));
      continue;
    }
    shards.count = std::max(shards.count, number->count);
    const auto [place, is_new] = known.try_emplace(*number, run.path);
    const bool is_finished = !info.finished_at.empty();
    if (!is_new)
      mistakes.push_back(fmt::format("shard {} is there twice: {} and {}{}; leave one out",
                                     info.shard, place->second, run.path,
                                     is_finished ? "" : " (not finished)"));
    else if (is_finished)
      shards.finished.push_back(std::move(run));
    else if (request.allows_missing)
      talk.note(unfinished_text(run));
    else
      mistakes.push_back(unfinished_text(run));
  }
  return shards;
}

/// Names the shards that are not there. An unfinished one was named before.
void find_missing(const MergeRequest& request, const std::vector<FoundRun>& runs, Shards& shards,
                  Mistakes& mistakes) {
  std::set<std::int64_t> there, finished;
  for (const FoundRun& run : runs)
    if (const auto number = shard_number(run.file.info.shard)) there.insert(number->index);
  for (const FoundRun& run : shards.finished)
    finished.insert(shard_number(run.file.info.shard)->index);
  std::vector<std::string> absent;
  for (std::int64_t i = 1; i <= shards.count; ++i) {
    if (!finished.contains(i)) shards.missing.push_back(text_of({i, shards.count}));
    if (!there.contains(i)) absent.push_back(text_of({i, shards.count}));
  }
  if (absent.empty() || request.allows_missing) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(absent.size(), kMostNamed); ++i)
    names += (i == 0 ? "" : ", ") + absent[i];
  if (absent.size() > kMostNamed) names += fmt::format(" and {} more", absent.size() - kMostNamed);
  mistakes.push_back(
      fmt::format("{} {} missing: {}; measure {}, or leave {} out with --allow-missing",
                  counted(absent.size(), "shard"), absent.size() == 1 ? "is" : "are", names,
                  absent.size() == 1 ? "it" : "them", absent.size() == 1 ? "it" : "them"));
}

/// Cases that are twice, and cases without a result.
class CaseCheck {
 public:
  explicit CaseCheck(Mistakes& mistakes) : mistakes_(mistakes) {}

  void take(const FoundRun& shard, const ShardResults& results) {
    std::vector<std::string> twice;
    for (const CaseKey& key : results.cases) {
      const auto [place, is_new] = known_.try_emplace(key, &shard.path);
      if (!is_new) twice.push_back(key.case_id + " (also in " + *place->second + ")");
    }
    tell(shard.path, "a case that another shard has", twice);
    std::vector<std::string> without;
    for (const SuiteRef& suite : shard.file.info.suites) {
      if (suite.positions.empty()) continue;  // an earlier Plumbline: not only its own
      for (const std::string& id : suite.cases)
        if (!known_.contains({suite.name, id})) without.push_back(id);
    }
    tell(shard.path, "a case without a result", without);
  }

  std::size_t cases() const { return known_.size(); }

 private:
  void tell(const std::string& path, const std::string& what,
            const std::vector<std::string>& cases) {
    if (cases.empty()) return;
    std::string text = path + ": found " + what + ": " + cases.front();
    if (cases.size() > 1) text += fmt::format(", and {} more", cases.size() - 1);
    mistakes_.push_back(text);
  }

  Mistakes& mistakes_;
  std::map<CaseKey, const std::string*> known_;
};

[[noreturn]] void refuse(const Mistakes& mistakes) {
  std::string text =
      fmt::format("the shards cannot be merged, {}:", counted(mistakes.size(), "obstacle"));
  for (std::size_t i = 0; i < std::min(mistakes.size(), kMostNamed); ++i)
    text += "\n- " + mistakes[i];
  if (mistakes.size() > kMostNamed)
    text += fmt::format("\n- and {} more", mistakes.size() - kMostNamed);
  throw Error(text);
}

/// True if `output` already is the run that these shards make.
bool is_merged(const std::string& output, const RunInfo& info) {
  if (!fs::exists(output + "/run.json")) return false;
  const RunFile there = read_run_json(output + "/run.json");
  return there.info.shards == info.shards && there.results &&
         hash_of_file(output + "/results.csv").text() == there.results->hash;
}

/// What summaries need of the record; a copy is made for each shard.
RunInfo light(const RunInfo& info) {
  RunInfo made = info;
  made.suites.clear();
  made.workers.clear();
  return made;
}

/// Reads all shards, some at a time, and writes them in their order as long as nothing is wrong.
void write_shards(const Shards& shards, const RunInfo& info, MergedWriter& writer, CaseCheck& cases,
                  Mistakes& mistakes, Talk& talk) {
  const RunInfo common = light(info);
  const std::size_t at_once =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostAtOnce);
  const std::size_t all = shards.finished.size();
  for (std::size_t begin = 0; begin < all; begin += at_once) {
    talk.now(fmt::format("merging: {} of {} shards", begin, all));
    std::vector<std::future<ShardResults>> reading;
    for (std::size_t i = begin; i < std::min(begin + at_once, all); ++i) {
      const FoundRun& shard = shards.finished[i];
      const std::string sealed = shard.file.results ? shard.file.results->hash : "";
      reading.push_back(
          std::async(kThreadIfAny, read_shard_results, shard.path, sealed, std::cref(common)));
    }
    for (std::size_t i = 0; i < reading.size(); ++i) {
      ShardResults results = reading[i].get();
      mistakes.insert(mistakes.end(), results.mistakes.begin(), results.mistakes.end());
      if (results.mistakes.empty()) cases.take(shards.finished[begin + i], results);
      if (mistakes.empty()) writer.append(std::move(results));
    }
  }
  talk.now("");
}

void check_count(const Shards& shards, const RunInfo& info, std::size_t cases, Mistakes& mistakes) {
  const auto selected = std::size_t(info.selected_cases);
  if (!shards.missing.empty() || selected == 0 || cases == selected || !mistakes.empty()) return;
  mistakes.push_back(fmt::format("the shards hold {} of {}: the others are in no shard", cases,
                                 counted(selected, "selected case")));
}

}  // namespace

MergeOutcome merge_shards(const MergeRequest& request, Talk& talk) {
  FoundRuns found = find_runs(request.inputs);
  Mistakes mistakes = std::move(found.mistakes);
  for (const std::string& folder : found.unbegun)
    (request.allows_missing ? found.mistakes : mistakes)
        .push_back(folder + ": found no run.json; the run was killed as it began: start it anew");
  leave_out_merged(request, found.runs, talk);
  Shards shards = sorted_shards(request, found.runs, mistakes, talk);
  find_missing(request, found.runs, shards, mistakes);
  if (shards.finished.empty()) {
    if (mistakes.empty()) mistakes.emplace_back("none of the runs is a finished shard");
    refuse(mistakes);
  }
  for (std::string& text : differences(shards.finished)) mistakes.push_back(std::move(text));
  // Records of different suites cannot be joined; the results are looked at all the same.
  const RunInfo info = mistakes.empty() ? merged_info(shards.finished) : RunInfo{};
  MergeOutcome outcome{request.output,
                       shards.finished.size(),
                       0,
                       info.environment.device_uuids.size(),
                       shards.count,
                       shards.missing,
                       0,
                       mistakes.empty() && is_merged(request.output, info)};
  if (outcome.was_there) {
    for (const SuiteRef& suite : info.suites) outcome.cases += suite.cases.size();
    outcome.bytes = fs::file_size(request.output + "/results.csv");
    return outcome;
  }
  MergedWriter writer(request.output);
  CaseCheck cases(mistakes);
  write_shards(shards, info, writer, cases, mistakes, talk);
  check_count(shards, info, cases.cases(), mistakes);
  if (!mistakes.empty()) refuse(mistakes);
  outcome.cases = cases.cases();
  outcome.bytes = writer.finish(info);
  return outcome;
}

}  // namespace plumbline
