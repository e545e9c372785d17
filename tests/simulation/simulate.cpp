/// simulate: whole runs in simulated worlds, each from one seed.
///
///   simulate [--seeds N] [--first SEED] [--seconds S] [--jobs J]
///
/// Without flags: 1000 seeds from 1 on, in two processes. With --seconds it ends then, if not
/// before.
///
/// A seed draws cases, rounds, profiles, devices and shards, what measuring each case gives, and
/// what goes wrong: the process is killed at a random step (also in the middle of a write), Ctrl-C,
/// a full or slow disk, a clock that jumps, workers that die, hang, answer late, do not start, are
/// of another device or of another program, a second run that wants the same device and folder. A
/// run is resumed until it is finished. Shards are merged, runs compared, and cases measured in
/// pairs.
///
/// Scheduler, store, resume, merge, comparison and pairs are those of harness/. Simulated are the
/// worker processes (workers.h), the system calls that stand for time, disk and death (kernel.h),
/// and the order of threads (turns.h). What is measured is a function of seed, case, side, round
/// and visit (scenario.h), so every number can be checked. Checked are:
///   - each planned visit is in the file once, with its planned status; nothing is measured twice
///     and nothing lost, but the visit in flight when a life ends (ledger.h)
///   - rows are those of the case, side, round, worker and device that measured them
///   - the file of a run holds after each life what was kept, byte by byte
///   - a finished run equals an undisturbed one; a merged run holds the rows of its shards
///   - planted changes are found, nothing else is called changed, failed cases get no such verdict
///   - locks are free, finished runs are read without a warning, no other files are left
///
/// A broken one is printed with its seed. `simulate --first SEED --seeds 1` shows it again.
/// Exit code: 0, 1 after a broken invariant, 2 for wrong arguments.
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "simulation/side_run.h"
#include "simulation/verdicts.h"
#include "support/fault_rows.h"
#include "support/scratch_folder.h"

namespace plumbline::simulation {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInvariants = "each visit once, no verdict without its truth, no lock left";

struct Arguments {
  std::uint64_t seeds = 1000, first = 1, seconds = 0, jobs = 0;
};

/// What a process hands to its parent.
struct Report {
  Tally tally;
  std::uint64_t failed_seed = 0;
  bool has_failed = false;
  Harm harm = Harm::other;
  char what[4096] = {};
};

void run_scenario(std::uint64_t seed, const std::string& folder, Tally& tally) {
  const Scenario scenario = scenario_of(seed);
  Dice dice = Dice(seed).apart(2);
  Kernel kernel(dice.apart(3), tally);
  World world{scenario, kernel, tally, folder};
  if (scenario.reuses_pids) tally.add(Count::reused_pids);
  const std::uint64_t kind = dice.below(20);
  // Pairs need a worker of each profile.
  const bool can_pair = !scenario.lacks_trace;
  if (kind < 2 && can_pair) return compare_in_pairs(world, dice.apart(4));
  const Run baseline = measured_side(world, 0, dice.apart(5));
  if (kind > 5) return;
  const Run candidate = measured_side(world, 1, dice.apart(6));
  compare_sides(world, baseline, candidate, kind == 2 && can_pair, dice.apart(7));
}

/// Runs the scenario in an empty folder. The broken invariant, or nothing.
std::optional<Violation> broken_by(std::uint64_t seed, const std::string& folder, Tally& tally) {
  std::optional<Violation> broken;
  fs::create_directories(folder);
  try {
    run_scenario(seed, folder, tally);
  } catch (const Violation& violation) {
    broken = violation;
  } catch (const std::exception& error) {
    broken = Violation{std::string("an exception that nobody expected: ") + error.what()};
  }
  tally.add(Count::seeds);
  fs::remove_all(folder);
  return broken;
}

/// The seeds of one of the processes: every `jobs`-th.
void run_seeds(const Arguments& arguments, std::uint64_t job, const std::string& folder,
               Report& report) {
  const double begin_s = real_s();
  for (std::uint64_t i = job; i < arguments.seeds; i += arguments.jobs) {
    if (arguments.seconds > 0 && real_s() - begin_s > double(arguments.seconds)) return;
    const std::uint64_t seed = arguments.first + i;
    const auto broken = broken_by(seed, folder, report.tally);
    if (!broken) continue;
    report.has_failed = true;
    report.failed_seed = seed;
    report.harm = broken->harm;
    std::strncpy(report.what, broken->what.c_str(), sizeof report.what - 1);
    return;
  }
}

/// Signals are of the process, so each has one world at a time. Returns where its report comes
/// from.
int start_job(const Arguments& arguments, std::uint64_t job, const std::string& folder) {
  int ends[2];
  if (pipe(ends) != 0) std::perror("pipe"), std::exit(2);
  const pid_t child = fork();
  if (child < 0) std::perror("fork"), std::exit(2);
  if (child > 0) {
    close(ends[1]);
    return ends[0];
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  mallopt(M_MMAP_THRESHOLD, 1 << 26);  // buffers of readers come again and again: without new pages
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  sigset_t stops;  // a Ctrl-C of the simulation that nobody reads must not end the process
  sigemptyset(&stops);
  sigaddset(&stops, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stops, nullptr);
  Report report;
  run_seeds(arguments, job, folder + "/" + std::to_string(job), report);
  const bool is_told = ::write(ends[1], &report, sizeof report) == ssize_t(sizeof report);
  _exit(is_told ? 0 : 2);
}

bool read_whole(int fd, Report& report) {
  auto* into = reinterpret_cast<char*>(&report);
  std::size_t done = 0;
  while (done < sizeof report) {
    const ssize_t got = read(fd, into + done, sizeof report - done);
    if (got <= 0) return false;
    done += std::size_t(got);
  }
  return true;
}

void print(const Tally& tally, double seconds) {
  for (std::size_t i = 0; i < kCountNames.size(); ++i)
    std::printf("%-24s %10llu\n", std::string(kCountNames[i]).c_str(),
                static_cast<unsigned long long>(tally.counts[i]));
  std::printf("%-24s %10.1f\n", "seconds", seconds);
}

/// Rows of faults that did no harm. Those of a scenario whose invariant broke are among them: the
/// broken invariant has a row of its own.
void hand_over_faults(const Tally& sum) {
  for (const FaultCount& fault : kFaultCounts) {
    const std::uint64_t count = sum.of(fault.count);
    if (count == 0) continue;
    hand_over({std::string(kCountNames[std::size_t(fault.count)]), std::string(fault.moment),
               "the invariants hold", kInvariants, count, count, 0, 0});
  }
}

void hand_over_broken(const Report& report) {
  hand_over({"broken invariant", "seed " + std::to_string(report.failed_seed),
             std::string("bar not met: ") + report.what, kInvariants, 1, 0,
             report.harm == Harm::lost_visit, report.harm == Harm::wrong_verdict});
}

int simulate(const Arguments& arguments) {
  const ScratchFolder folder("simulation");
  const double begin_s = real_s();
  std::vector<int> reports;
  for (std::uint64_t job = 0; job < arguments.jobs; ++job)
    reports.push_back(start_job(arguments, job, folder.path()));
  Tally sum;
  int exit_code = 0;
  for (const int fd : reports) {
    Report report;
    if (!read_whole(fd, report)) {
      std::printf("a process of the simulation has crashed; look for its seed with --jobs 1\n");
      exit_code = 1;
    }
    close(fd);
    sum.add(report.tally);
    if (!report.has_failed) continue;
    hand_over_broken(report);
    exit_code = 1;
    const auto seed = static_cast<unsigned long long>(report.failed_seed);
    std::printf("seed %llu: %s\nagain: simulate --first %llu --seeds 1\n\n", seed, report.what,
                seed);
  }
  while (wait(nullptr) > 0) continue;
  hand_over_faults(sum);
  print(sum, real_s() - begin_s);
  return exit_code;
}

bool read_number(const char* text, std::uint64_t& into) {
  const char* const end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, into);
  return read.ec == std::errc() && read.ptr == end;
}

}  // namespace
}  // namespace plumbline::simulation

int main(int count, char** words) {
  using namespace plumbline::simulation;
  Arguments arguments;
  for (int i = 1; i < count; i += 2) {
    const std::string name = words[i];
    std::uint64_t* const into = name == "--seeds"     ? &arguments.seeds
                                : name == "--first"   ? &arguments.first
                                : name == "--seconds" ? &arguments.seconds
                                : name == "--jobs"    ? &arguments.jobs
                                                      : nullptr;
    if (into == nullptr || i + 1 == count || !read_number(words[i + 1], *into)) {
      std::fprintf(stderr,
                   "usage: simulate [--seeds N] [--first SEED] [--seconds S] [--jobs J]\n"
                   "found '%s', expected one of these flags with a number from 0\n",
                   words[i]);
      return 2;
    }
  }
  if (arguments.jobs == 0)
    arguments.jobs = std::max(1u, std::min(2u, std::thread::hardware_concurrency()));
  if (arguments.seeds < arguments.jobs)
    arguments.jobs = std::max<std::uint64_t>(1, arguments.seeds);
  return simulate(arguments);
}
