#include "import/attached/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/run/case.h"
#include "core/words.h"
#include "import/attached/stable_names.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostBlocks = 16, kMostInBlock = 64;
constexpr double kNanosecond = 1e-9;
constexpr const char* kBackend = "program";
constexpr const char* kUnchecked = "attached: what the program computed was not checked";

/// A case of one visit, collected from all of its processes.
struct Collected {
  std::string op;
  std::string device;                            // UUID; "" of several, or of none
  std::string kernels;                           // JSON
  std::string metric;                            // that is judged
  std::vector<double> first_s, later_s, gaps_s;  // in the order of their start
  std::size_t runs = 0;
  std::set<std::string> of_processes;  // raw names in the process that is being read
};

std::string extent_text(const std::array<std::int64_t, 3>& extent) {
  std::string text = std::to_string(extent[0]);
  if (extent[1] != 1 || extent[2] != 1) text += "x" + std::to_string(extent[1]);
  if (extent[2] != 1) text += "x" + std::to_string(extent[2]);
  return text;
}

std::string kernel_json(const std::string& name, const AttachedActivity& kernel) {
  const nlohmann::json record{{"name", name},
                              {"grid", kernel.grid},
                              {"block", kernel.block},
                              {"registers", kernel.registers},
                              {"shared_static", kernel.shared_static},
                              {"shared_dynamic", kernel.shared_dynamic},
                              {"local", kernel.local_bytes},
                              {"calls", 1}};
  return nlohmann::json::array({record}).dump(-1, ' ', false,
                                              nlohmann::json::error_handler_t::replace);
}

SampleSet in_blocks(const std::vector<double>& values, std::int64_t& batch) {
  const std::size_t most = kMostBlocks * kMostInBlock;
  const std::size_t of_sample = (values.size() + most - 1) / most;
  batch = std::int64_t(std::max<std::size_t>(of_sample, 1));
  std::vector<double> samples;
  // The last launches that fill no whole batch are a part of the last one, so that none is lost.
  const std::size_t count = of_sample == 0 ? 0 : values.size() / of_sample;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = values.begin() + std::ptrdiff_t(i * of_sample);
    const auto end = i + 1 == count ? values.end() : begin + std::ptrdiff_t(of_sample);
    samples.push_back(std::accumulate(begin, end, 0.0) / double(end - begin));
  }
  SampleSet set;
  const std::size_t blocks = std::min(kMostBlocks, samples.size());
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t begin = i * samples.size() / blocks, end = (i + 1) * samples.size() / blocks;
    set.add_block(std::span(samples).subspan(begin, end - begin));
  }
  return set;
}

/// Collects the cases of a visit.
class Collector {
 public:
  explicit Collector(AttachedFacts& facts) : facts_(facts) {}

  void add(const AttachedProcess& process) {
    std::vector<std::string> names(process.names.size()), plain(process.names.size());
    std::map<std::int64_t, std::int64_t> ends;  // by stream, which is unique in a process
    for (const AttachedActivity& activity : process.activities) {
      const auto before = ends.find(activity.stream);
      if (activity.is_kernel) {
        std::string& name = names[activity.name];
        if (name.empty()) {
          name = stable_kernel_name(process.names[activity.name]);
          plain[activity.name] = demangled(process.names[activity.name]);
        }
        Collected& found = kernel_case(name, plain[activity.name], activity, process);
        found.of_processes.insert(plain[activity.name]);
        if (before != ends.end())
          found.gaps_s.push_back(
              double(std::max<std::int64_t>(0, activity.start_ns - before->second)) * kNanosecond);
        add_run(found, activity.start_ns, activity.end_ns);
      }
      std::int64_t& end = ends[activity.stream];
      end = std::max(end, activity.end_ns);
    }
    for (const AttachedRange& range : process.ranges) add_range(range);
    end_process();
  }

  std::map<std::string, Collected>& cases() { return cases_; }

 private:
  Collected& kernel_case(const std::string& name, const std::string& plain,
                         const AttachedActivity& kernel, const AttachedProcess& process) {
    const std::string id = case_id(
        name, kBackend, {{"grid", extent_text(kernel.grid)}, {"block", extent_text(kernel.block)}});
    const auto [place, is_new] = cases_.try_emplace(id);
    Collected& found = place->second;
    const auto device = process.devices.find(kernel.device);
    const std::string uuid = device == process.devices.end() ? "" : device->second.uuid;
    if (is_new) {
      found.op = "kernel";
      found.metric = "kernel_time_attached";
      found.kernels = kernel_json(plain, kernel);
      found.device = uuid;
    } else if (found.device != uuid) {
      found.device.clear();
    }
    return found;
  }

  void add_range(const AttachedRange& range) {
    Collected& found = cases_[case_id(stable_range_name(range.name), "nvtx", {})];
    found.op = "range";
    found.metric = "range_time";
    found.of_processes.insert(range.name);
    add_run(found, range.start_ns, range.end_ns);
  }

  void add_run(Collected& found, std::int64_t start_ns, std::int64_t end_ns) {
    const double time_s = double(end_ns - start_ns) * kNanosecond;
    const bool is_first = seen_.insert(&found).second;
    (is_first ? found.first_s : found.later_s).push_back(time_s);
    ++found.runs;
  }

  void end_process() {
    for (auto& [id, found] : cases_) {
      if (found.of_processes.size() > 1 && found.op == "kernel")
        facts_.merged[id].insert(found.of_processes.begin(), found.of_processes.end());
      found.of_processes.clear();
    }
    seen_.clear();
  }

  AttachedFacts& facts_;
  std::map<std::string, Collected> cases_;
  std::set<const Collected*> seen_;  // cases that the process being read has run
};

/// Makes rows of one visit.
class Rows {
 public:
  Rows(const AttachedVisit& visit, const std::string& suite) : visit_(visit), suite_(suite) {}

  ResultRow& add(const std::string& id, const std::string& op, const char* metric, const char* unit,
                 const std::vector<double>& values) {
    ResultRow& row = rows_.emplace_back();
    row.suite = suite_;
    row.case_id = id;
    row.op = op;
    row.backend = op == "range" ? "nvtx" : kBackend;
    row.revision = "1";
    row.round = visit_.round;
    row.worker = visit_.worker;
    row.status = Status::unverified;
    row.reason = kUnchecked;
    row.metric = metric;
    row.unit = unit;
    row.samples = in_blocks(values, row.batch);
    return row;
  }

  std::vector<ResultRow> take(std::int64_t order) {
    for (ResultRow& row : rows_) row.order = order;
    number_rows(rows_);
    return std::move(rows_);
  }

 private:
  const AttachedVisit& visit_;
  const std::string& suite_;
  std::vector<ResultRow> rows_;
};

std::vector<ResultRow> rows_of(const std::string& id, const Collected& found,
                               const AttachedVisit& visit, const std::string& suite,
                               std::int64_t order) {
  Rows rows(visit, suite);
  const bool ran_once = found.later_s.empty();
  ResultRow& judged =
      rows.add(id, found.op, found.metric.c_str(), "s", ran_once ? found.first_s : found.later_s);
  if (ran_once) judged.add_flag(kFlagRanOnce);
  judged.kernels = found.kernels;
  judged.device = found.device;
  if (!ran_once) rows.add(id, found.op, "first_time", "s", found.first_s).device = found.device;
  if (!found.gaps_s.empty())
    rows.add(id, found.op, "gap_before", "s", found.gaps_s).device = found.device;
  rows.add(id, found.op, "launches", "1", {double(found.runs)}).device = found.device;
  return rows.take(order);
}

/// Times of all processes of a visit together, in nanoseconds.
struct Totals {
  double kernels = 0, copies = 0, idle = 0;
  bool has_copies = false;
};

Totals totals_of(const std::vector<AttachedProcess>& processes) {
  Totals totals;
  for (const AttachedProcess& process : processes) {
    std::int64_t busy_until = 0;
    for (const AttachedActivity& activity : process.activities) {
      const std::int64_t time_ns = activity.end_ns - activity.start_ns;
      (activity.is_kernel ? totals.kernels : totals.copies) += double(time_ns);
      totals.has_copies |= !activity.is_kernel;
      if (busy_until != 0 && activity.start_ns > busy_until)
        totals.idle += double(activity.start_ns - busy_until);
      busy_until = std::max(busy_until, activity.end_ns);
    }
  }
  return totals;
}

std::vector<ResultRow> rows_of_program(const AttachedVisit& visit, const std::string& suite,
                                       std::int64_t order) {
  const std::string id = case_id(suite, kBackend, {});
  Rows rows(visit, suite);
  if (!visit.failure.empty()) {
    ResultRow& row = rows.add(id, "program", "", "", {});
    row.status = visit.is_interrupted ? Status::interrupted : Status::crashed;
    row.reason = "the program " + visit.failure;
    return rows.take(order);
  }
  const Totals totals = totals_of(visit.processes);
  const auto add = [&](const char* metric, double seconds) {
    rows.add(id, "program", metric, "s", {seconds});
  };
  add("program_kernel_time", totals.kernels * kNanosecond);
  if (totals.has_copies) add("program_copy_time", totals.copies * kNanosecond);
  add("program_idle_time", totals.idle * kNanosecond);
  add("program_wall_time", visit.wall_s);
  return rows.take(order);
}

void note_gaps(const AttachedVisit& visit, AttachedFacts& facts) {
  for (const AttachedProcess& process : visit.processes) {
    const std::string who =
        fmt::format("run {} of the program, process {}", visit.round + 1, process.pid);
    if (process.lost > 0)
      facts.notes.insert(fmt::format("{}: CUPTI lost {}: counts and sums are too small", who,
                                     counted(process.lost, "record")));
    if (process.unfinished > 0)
      facts.notes.insert(
          fmt::format("{}: {} {}", who, process.unfinished,
                      process.unfinished == 1
                          ? "launch or copy had not ended when it exited, and is left out"
                          : "launches or copies had not ended when it exited, and are left out"));
    if (process.is_started && !process.is_closed)
      facts.notes.insert(
          who + " ended without exit(), or its disk was full: its last launches may be missing");
    if (!process.refused.empty()) facts.notes.insert(who + " was not recorded: " + process.refused);
    for (const std::string& missing : process.missing) facts.notes.insert(who + ": no " + missing);
  }
}

}  // namespace

VisitsOfCases cases_of(const AttachedVisit& visit, const std::string& suite, AttachedFacts& facts) {
  Collector collector(facts);
  for (const AttachedProcess& process : visit.processes) collector.add(process);
  note_gaps(visit, facts);
  VisitsOfCases visits;
  for (const auto& [id, found] : collector.cases())
    visits.push_back(rows_of(id, found, visit, suite, std::int64_t(visits.size())));
  visits.push_back(rows_of_program(visit, suite, std::int64_t(visits.size())));
  return visits;
}

std::vector<std::string> notes_of(const AttachedFacts& facts) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> notes(facts.notes.begin(), facts.notes.end());
  std::size_t named = 0;
  for (const auto& [id, names] : facts.merged) {
    if (++named > kMostNamed) break;
    notes.push_back(fmt::format("{} different kernels share the case {}: {}", names.size(), id,
                                fmt::join(names, " and ")));
  }
  if (facts.merged.size() > kMostNamed)
    notes.push_back(
        fmt::format("and {} more cases of several kernels", facts.merged.size() - kMostNamed));
  return notes;
}

std::size_t kernels_in(const std::vector<AttachedProcess>& processes) {
  std::size_t kernels = 0;
  for (const AttachedProcess& process : processes)
    kernels += std::size_t(std::ranges::count_if(process.activities, &AttachedActivity::is_kernel));
  return kernels;
}

std::string why_nothing_ran(const std::vector<AttachedProcess>& processes) {
  if (processes.empty())
    return "CUDA did not start in the program, or it started where the recorder could not follow: "
           "in a process without the variable CUDA_INJECTION64_PATH (sudo, ssh, a container, `env "
           "-i`), or in one that was running before. A program that finds no GPU does not start "
           "CUDA either: see what it printed";
  for (const AttachedProcess& process : processes)
    if (!process.refused.empty()) return "the recorder was refused: " + process.refused;
  std::size_t unfinished = 0;
  for (const AttachedProcess& process : processes) unfinished += process.unfinished;
  const std::string started = fmt::format(
      "CUDA started in {}, but no launch of a kernel was recorded",
      processes.size() == 1 ? "one process" : fmt::format("{} processes", processes.size()));
  if (unfinished > 0)
    return started + ": " + std::to_string(unfinished) +
           " had not ended when the program did; let it wait for the device before it exits";
  return started;
}

}  // namespace plumbline
