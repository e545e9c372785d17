#include "workflow/bisect/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "analysis/causes/case_times.h"
#include "analysis/confirm/judge_pairs.h"
#include "core/error.h"
#include "core/words.h"
#include "store/recorded/evidence.h"
#include "store/verdict/bisect_json.h"
#include "store/verdict/comparison_json.h"
#include "workflow/judge/code_changes.h"
#include "workflow/setup/suites.h"
#include "workflow/sides/side_build.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFewestPairs = 2;  // that a call may measure

std::vector<std::string> names_of(const std::vector<Version>& versions) {
  std::vector<std::string> names;
  for (const Version& version : versions) names.push_back(version.side);
  return names;
}

/// The differences of the wanted metric in the pairs; null if they have none.
const PairedSeries* series_of(const std::vector<PairedSeries>& all, const std::string& metric) {
  const PairedSeries* best = nullptr;
  for (const PairedSeries& series : all) {
    if (series.differences.empty()) continue;
    if (!metric.empty()) {
      if (series.metric == metric) return &series;
      continue;
    }
    const auto rank = rank_as_time(series.metric);
    if (rank && (!best || *rank < *rank_as_time(best->metric))) best = &series;
  }
  return best;
}

/// Why one side of pairs has no times.
struct Failure {
  PairSide side;
  std::string why;
};

/// The side whose case failed or is missing; nothing if both sides have times. If both failed, the
/// candidate: the baseline was measured before.
std::optional<Failure> failure_in(const PairedRun& measured) {
  for (const PairSide side : {PairSide::b, PairSide::a}) {
    const std::vector<ResultRow>& rows = measured.runs[std::size_t(side)].rows;
    if (rows.empty()) return Failure{side, "it does not have the case"};
    for (const ResultRow& row : rows)
      if (!has_samples(row.status))
        return Failure{
            side, std::string(name_of(row.status)) + (row.reason.empty() ? "" : ": " + row.reason)};
  }
  return std::nullopt;
}

/// Both sides have times, and there are no pairs of the metric.
[[noreturn]] void fail_without_pairs(const std::vector<PairedSeries>& all,
                                     const std::string& metric, const std::string& folder) {
  std::string there;
  for (const PairedSeries& series : all) {
    if ((metric.empty() || series.metric == metric) && series.discarded > 0)
      throw Error(
          fmt::format("all pairs were disturbed by other work or heat; go on when the "
                      "machine is quiet: -o {} --resume",
                      folder));
    if (!series.differences.empty())
      there += (there.empty() ? "" : ", ") + std::string(series.metric);
  }
  throw Error(fmt::format("the case has no {}{}", metric.empty() ? "time in pairs" : metric,
                          there.empty() ? "" : "; it has " + there));
}

/// True for a failure that would hit every version: a full disk, or an index that is not reached.
bool is_about_machine(std::string_view message) {
  constexpr std::string_view kSigns[] = {"No space left on device", "NewConnectionError",
                                         "name resolution", "Read timed out"};
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return message.find(sign) != message.npos; });
}

std::string asked_of_environments(const EnvironmentRequest& environments) {
  std::string text = environments.python.empty() ? "" : "; python " + environments.python;
  for (const std::string& more : environments.more) text += "; with " + more;
  for (const std::string& wheels : environments.wheels) text += "; wheels " + wheels;
  return text;
}

/// What decides the numbers besides versions and case.
std::string asked_of(const BisectRequest& request) {
  const RunRequest& run = request.run;
  std::string text = "device " + run.worker.device + "; worker " + run.worker.worker + "; build " +
                     request.sides.build + "; metric " + request.metric +
                     asked_of_environments(request.environments);
  if (request.threshold) text += fmt::format("; threshold {:g}", *request.threshold);
  for (const std::string& suite : run.suite.suites) text += "; suite " + suite;
  for (const std::string& axis : run.suite.set) text += "; set " + axis;
  for (const std::string& extension : run.worker.extensions) text += "; extension " + extension;
  for (const auto& [name, value] : run.suite.policy) text += "; " + name + " " + value;
  return text;
}

/// One search over a line of versions.
class Searching {
 public:
  Searching(const BisectRequest& request, std::vector<Version> versions, std::string folder,
            std::string& metric, Talk& talk)
      : request_(request),
        folder_(std::move(folder)),
        metric_(metric),
        talk_(talk),
        search_(versions.size() - 1, request.rule) {
    done_.versions = std::move(versions);
    record_.versions = names_of(done_.versions);
    record_.case_id = request.case_id;
    record_.asked = asked_of(request);
  }

  BisectSearch run() {
    go_on();
    for (auto wanted = search_.next(); wanted; wanted = search_.next()) take(*wanted);
    done_.result = search_.result();
    done_.threshold = record_.threshold.value_or(0);
    for (const BisectRecord::Step& step : record_.steps)
      if (done_.result.commits && step.baseline + 1 == done_.result.commits->first &&
          step.candidate == done_.result.commits->last)
        done_.step = folder_ + "/" + step.folder;
    return std::move(done_);
  }

 private:
  std::string path() const { return folder_ + "/" + kBisectRecord; }
  const std::string& shown(std::size_t position) const { return done_.versions[position].shown; }

  /// Takes over what an interrupted search measured.
  void go_on() {
    const auto earlier = request_.resume ? read_bisect_record(path()) : std::nullopt;
    if (!request_.resume && fs::exists(path()))
      throw Error(path() +
                  ": found a search in it; go on with it (--resume), or name another "
                  "folder");
    if (!earlier) return;
    if (earlier->versions != record_.versions || earlier->case_id != record_.case_id)
      throw Error(path() + ": found a search for another case or among other versions");
    if (earlier->asked != record_.asked)
      throw Error(
          fmt::format("{}: found a search that was asked for differently ({}); now it is {}",
                      path(), earlier->asked, record_.asked));
    record_ = *earlier;
    if (metric_.empty()) metric_ = record_.metric;
    if (record_.threshold) search_.set_threshold(*record_.threshold);
    for (const BisectRecord::Step& step : record_.steps) {
      search_.add(step.baseline, step.candidate, step.log_ratios);
      note_built(step.baseline, step.candidate);
      done_.pairs += step.log_ratios.size();
    }
    for (const BisectRecord::Skipped& one : record_.skipped) {
      search_.skip(one.position);
      done_.skipped.emplace_back(one.position, one.reason);
    }
  }

  void note_built(std::size_t a, std::size_t b) {
    built_.insert({a, b});
    done_.builds = built_.size();
  }

  /// Measures the pairs, or leaves out a version that cannot be built or measured.
  void take(const PairsWanted& wanted) {
    talk_.say(fmt::format("{} of {}: {} against {}", counted(wanted.pairs, "pair"),
                          request_.case_id, shown(wanted.candidate), shown(wanted.baseline)));
    for (const std::size_t position : {wanted.baseline, wanted.candidate})
      if (const std::string why = unusable(position); !why.empty()) return skip(position, why);
    if (const auto failed = measure(wanted))
      skip(failed->side == PairSide::a ? wanted.baseline : wanted.candidate, failed->why);
  }

  void skip(std::size_t position, const std::string& why) {
    const bool is_end = position == 0 || position + 1 == done_.versions.size();
    if (is_end)
      throw Error(fmt::format("{} ({}) cannot be measured: {}", shown(position),
                              position == 0 ? "GOOD" : "BAD", why));
    talk_.note(fmt::format("{} is left out: {}", shown(position), why.substr(0, why.find('\n'))));
    record_.skipped.push_back({position, why});
    done_.skipped.emplace_back(position, why);
    search_.skip(position);
    write_bisect_record(record_, path());
  }

  Sides sides_of(std::size_t a, std::size_t b) {
    SidesRequest request{{}, request_.run.suite.suites, request_.run.worker, request_.sides};
    for (const auto& [i, position] : {std::pair(0, a), std::pair(1, b)}) {
      const Version& version = done_.versions[position];
      const SideKind kind = version.is_commit ? SideKind::revision : SideKind::any;
      const std::string text = is_requirement(version.side) ? made_for(position) : version.side;
      request.names[std::size_t(i)] = {.text = text, .kind = kind, .shown = version.shown};
    }
    Sides sides = find_sides(request, talk_);
    if (sides.signal != 0) throw Stopped{sides.signal};
    return sides;
  }

  /// The environment with a release, as the name of a side.
  std::string made_for(std::size_t position) {
    MadeEnvironment& made = environments_[position];
    if (made.prefix.empty()) {
      EnvironmentRequest request = request_.environments;
      request.requirements = done_.versions[position].side;
      made = make_environment(request, talk_);
      if (made.signal != 0) throw Stopped{made.signal};
    }
    return std::string(kEnvironmentPrefix) + made.prefix;
  }

  /// Why a version cannot be built, or its suites cannot be read, or "". A build that succeeded is
  /// used again. Other errors, such as a full disk, are not about the version and end the search.
  std::string unusable(std::size_t position) {
    if (built_.contains(position)) return "";
    Sides sides;
    try {
      sides = sides_of(position, position);
    } catch (const BuildFailed& failed) {
      if (is_about_machine(failed.what())) throw Error(failed.what());
      return failed.what();
    }
    const Side& side = sides.sides[1];
    if (side.suites.empty()) return "it has none of the suites";
    try {
      const LoadedSuites loaded = read_suites(side.suites, request_.run.suite, &side.worker);
      const auto is_meant = [&](const Case& c) { return c.id == request_.case_id; };
      return std::ranges::any_of(loaded.cases, is_meant) ? "" : "it does not have the case";
    } catch (const Error& mistake) {
      return mistake.what();
    }
  }

  /// Measures and adds pairs. Returns what failed, if one side has no times.
  std::optional<Failure> measure(const PairsWanted& wanted) {
    const Sides sides = sides_of(wanted.baseline, wanted.candidate);
    const std::string name =
        fmt::format("pairs-{}-{}-{}", record_.steps.size() + 1, wanted.baseline, wanted.candidate);
    PairedRequest pairs{{&sides.sides[0], &sides.sides[1]},
                        request_.run,
                        {},
                        {},
                        folder_ + "/" + name,
                        request_.command,
                        /*keeps_code=*/true};
    pairs.pairs.looks = {std::max(kFewestPairs, wanted.pairs)};
    pairs.pairs.control_share = 0;
    fs::remove_all(pairs.folder);  // an interrupted call left it
    const PairedRun measured = run_in_pairs(pairs, talk_);
    if (measured.signal != 0) throw Stopped{measured.signal};
    const std::vector<PairedSeries> all = paired_series(measured.runs[0], measured.runs[1]);
    if (auto failed = failure_in(measured)) return failed;
    const PairedSeries* const series = series_of(all, metric_);
    if (!series) fail_without_pairs(all, metric_, folder_);
    take_device(measured.runs[1].info.environment);
    metric_ = record_.metric = std::string(series->metric);
    search_.add(wanted.baseline, wanted.candidate, series->differences);
    note_built(wanted.baseline, wanted.candidate);
    done_.pairs += series->differences.size();
    record_.steps.push_back({wanted.baseline, wanted.candidate, series->differences, name});
    Comparison comparison = comparison_of(measured, pairs);
    explain(comparison, measured.runs[0], measured.runs[1]);
    comparison.is_ab = true;
    const std::string file = pairs.folder + "/comparison.json";
    write_comparison(comparison, file);
    write_bisect_record(record_, path());  // disassembling can be interrupted
    add_code_changes(measured.runs, pairs.sides, comparison);
    write_comparison(comparison, file);
    return std::nullopt;
  }

  void take_device(const Environment& environment) {
    const std::string uuid = environment.device_uuid();
    if (record_.device.empty()) record_.device = uuid;
    if (record_.device != uuid)
      throw Error(
          fmt::format("{}: the earlier pairs are of the device {}, these of {}; name one "
                      "with --device",
                      path(), record_.device, uuid));
    record_.threshold =
        request_.threshold.value_or(default_paired_rule(environment.device_kind).effect_floor);
    search_.set_threshold(*record_.threshold);
  }

  const BisectRequest& request_;
  std::string folder_;
  std::string& metric_;
  Talk& talk_;
  Bisection search_;
  BisectSearch done_;
  BisectRecord record_;
  std::set<std::size_t> built_;
  std::map<std::size_t, MadeEnvironment> environments_;  // of releases, by position; kept locked
};

}  // namespace

BisectSearch search_versions(const BisectRequest& request, std::vector<Version> versions,
                             std::string folder, std::string& metric, Talk& talk) {
  return Searching(request, std::move(versions), std::move(folder), metric, talk).run();
}

}  // namespace plumbline
