#include "workflow/shards/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/moment.h"
#include "core/parallel.h"
#include "core/words.h"
#include "stats/descriptive.h"
#include "store/file.h"
#include "store/shards/run_progress.h"
#include "workflow/run/resume_command.h"

namespace plumbline {
namespace {

/// Silence that needs no word: a visit may take a minute.
constexpr double kQuiet_s = 60;
/// A part is slow if it is silent for so many visits of the others, or takes so many times as long.
constexpr double kSilentVisits = 10, kTimesAsLong = 2;
/// Parts whose times tell how long one takes.
constexpr std::size_t kEnoughParts = 3;

double seconds_of(const std::string& time, double fallback) {
  const auto moment = moment_of(time);
  return moment ? double(moment->seconds) + 1e-9 * moment->nanoseconds : fallback;
}

double usual(const std::vector<double>& values) { return values.empty() ? 0 : median(values); }

/// What the run's files say, without the others. A part that is not done is `running` at first.
PartStatus read_part(const FoundRun& run, const StatusMoment& moment) {
  const RunInfo& info = run.file.info;
  PartStatus part;
  part.path = run.path;
  part.host = info.environment.host;
  part.planned = info.planned_visits;
  part.state = info.finished_at.empty() ? PartState::running : PartState::done;
  try {
    const ShardProgress progress = read_progress(run.path);
    part.visits = progress.visits;
    part.failed_cases = progress.failed_cases;
    const double end_s = seconds_of(info.finished_at, moment.now_s);
    part.elapsed_s = std::max(0., end_s - seconds_of(info.started_at, end_s));
    if (part.state == PartState::done) return part;
    part.quiet_s = std::max(0., moment.now_s - progress.written_at_s);
    const bool is_here = !moment.boot_id.empty() && info.environment.boot_id == moment.boot_id;
    if (!progress.is_written && is_here) part.state = PartState::stopped;
    // Locks of other machines are not always seen: silence decides below.
    if (!progress.is_written && *part.quiet_s > kQuiet_s + info.policy.timeout_s)
      part.state = PartState::stopped;
    if (part.state == PartState::stopped) part.reason = resume_command(info.command, run.path);
  } catch (const Error& error) {
    part.state = PartState::unreadable;
    part.reason = error.what();
  }
  return part;
}

/// The newest of a shard's folders counts; a finished one before others.
bool is_better(const FoundRun& a, const FoundRun& b) {
  const bool a_done = !a.file.info.finished_at.empty(), b_done = !b.file.info.finished_at.empty();
  return a_done != b_done ? a_done : a.file.info.started_at > b.file.info.started_at;
}

/// The run of each part by name, in order; `count`: of shards, 0 without.
struct Parts {
  std::vector<std::pair<std::string, const FoundRun*>> runs;
  std::vector<std::string> notes;
};

Parts parts_of(const std::vector<FoundRun>& runs) {
  std::map<ShardNumber, const FoundRun*> shards;
  Parts parts;
  for (const FoundRun& run : runs) {
    const auto number = shard_number(run.file.info.shard);
    if (!number) continue;
    const auto [place, is_new] = shards.try_emplace(*number, &run);
    if (is_new) continue;
    const bool is_newer = is_better(run, *place->second);
    parts.notes.push_back(fmt::format(
        "shard {} is there twice: {} counts, {} does not", run.file.info.shard,
        is_newer ? run.path : place->second->path, is_newer ? place->second->path : run.path));
    if (is_newer) place->second = &run;
  }
  std::set<std::int64_t> counts;
  for (const auto& [number, run] : shards) counts.insert(number.count);
  if (counts.size() > 1)
    throw Error(
        fmt::format("found shards of {} and of {}, which are different runs; name the "
                    "folder of one",
                    *counts.begin(), *counts.rbegin()));
  if (counts.empty()) {
    for (const FoundRun& run : runs)
      if (run.file.info.shards.empty())
        parts.runs.emplace_back(std::filesystem::path(run.path).filename().string(), &run);
    return parts;
  }
  for (std::int64_t i = 1; i <= *counts.begin(); ++i) {
    const auto found = shards.find({i, *counts.begin()});
    parts.runs.emplace_back(text_of({i, *counts.begin()}),
                            found == shards.end() ? nullptr : found->second);
  }
  return parts;
}

/// Sets what is left of running parts, from their own pace, else from that of the others.
void estimate(std::vector<PartStatus>& parts) {
  std::vector<double> paces;
  for (const PartStatus& part : parts)
    if (part.visits > 0) paces.push_back(part.elapsed_s / double(part.visits));
  const double usual_s = usual(paces);
  for (PartStatus& part : parts) {
    if (part.state != PartState::running || part.planned == 0) continue;
    const double pace_s = part.visits > 0 ? part.elapsed_s / double(part.visits) : usual_s;
    if (pace_s > 0)
      part.remaining_s = pace_s * double(std::max<std::int64_t>(0, part.planned - part.visits));
  }
}

std::optional<double> whole_of(const PartStatus& part) {
  if (part.state == PartState::done) return part.elapsed_s;
  return part.remaining_s ? std::optional(part.elapsed_s + *part.remaining_s) : std::nullopt;
}

void find_slow(std::vector<PartStatus>& parts) {
  std::vector<double> paces, wholes;
  for (const PartStatus& part : parts) {
    if (part.visits > 0) paces.push_back(part.elapsed_s / double(part.visits));
    if (const auto whole = whole_of(part)) wholes.push_back(*whole);
  }
  const double silent_s = std::max(kQuiet_s, kSilentVisits * usual(paces));
  const double usual_s = usual(wholes);
  for (PartStatus& part : parts) {
    if (part.state != PartState::running) continue;
    const auto whole = whole_of(part);
    if (*part.quiet_s > silent_s) {
      part.state = PartState::slow;
      part.reason = "no visit for " + duration_in_words(*part.quiet_s);
    } else if (wholes.size() >= kEnoughParts && whole && usual_s > kQuiet_s &&
               *whole > kTimesAsLong * usual_s) {
      part.state = PartState::slow;
      part.reason = fmt::format("takes {:.1f} times as long as the others", *whole / usual_s);
    }
  }
}

/// As many parts run at a time as now.
std::optional<double> remaining_of(const std::vector<PartStatus>& parts) {
  std::vector<double> wholes;
  double sum_s = 0, longest_s = 0, waiting = 0, running = 0;
  for (const PartStatus& part : parts) {
    if (part.state == PartState::unreadable || part.state == PartState::stopped)
      return std::nullopt;
    waiting += part.state == PartState::not_started;
    if (const auto whole = whole_of(part)) wholes.push_back(*whole);
    if (part.state == PartState::done || part.state == PartState::not_started) continue;
    if (!part.remaining_s) return std::nullopt;
    ++running;
    sum_s += *part.remaining_s;
    longest_s = std::max(longest_s, *part.remaining_s);
  }
  if (running == 0) return waiting == 0 ? std::optional(0.) : std::nullopt;
  return std::max(longest_s, (sum_s + waiting * usual(wholes)) / running);
}

}  // namespace

std::string_view name_of(PartState state) {
  static constexpr std::string_view kNames[]{"unreadable", "stopped",     "slow",
                                             "running",    "not started", "done"};
  return kNames[std::size_t(state)];
}

std::size_t RunStatus::count(PartState state) const {
  return std::size_t(std::ranges::count(parts, state, &PartStatus::state));
}

StatusMoment this_moment() {
  StatusMoment moment;
  moment.now_s =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::string file = "/proc/sys/kernel/random/boot_id";
  std::error_code none;
  if (std::filesystem::exists(file, none)) moment.boot_id = read_text(file);
  while (!moment.boot_id.empty() && moment.boot_id.back() == '\n') moment.boot_id.pop_back();
  return moment;
}

RunStatus status_of(const std::vector<std::string>& paths, const StatusMoment& moment) {
  const FoundRuns found = find_runs(paths);
  RunStatus status;
  Parts parts = parts_of(found.runs);
  status.notes = std::move(parts.notes);
  for (const std::string& folder : found.unbegun)
    status.notes.push_back(folder + ": killed as it began; start it anew");
  if (parts.runs.empty() && found.unbegun.empty()) {
    std::string text = "found no run that is measured";
    for (const std::string& mistake : found.mistakes) text += "\n- " + mistake;
    throw Error(text);
  }
  for (const std::string& mistake : found.mistakes) status.notes.push_back(mistake);
  status.parts.resize(parts.runs.size());
  for_each_index(parts.runs.size(), [&](std::size_t i) {
    const auto& [name, run] = parts.runs[i];
    if (run != nullptr) status.parts[i] = read_part(*run, moment);
    status.parts[i].name = name;
  });
  estimate(status.parts);
  find_slow(status.parts);
  status.remaining_s = remaining_of(status.parts);
  return status;
}

}  // namespace plumbline
