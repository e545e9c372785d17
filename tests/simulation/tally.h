/// What happened in the simulated worlds: counts, the same whatever the number of processes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumbline::simulation {

enum class Count : std::size_t {
  seeds,
  lives,
  visits,
  runs,
  merges,
  comparisons,
  paired_runs,
  // faults
  deaths,
  deaths_in_writes,
  interrupts,
  full_disks,
  slow_disks,
  clock_jumps,
  failed_starts,
  lost_devices,
  other_devices,
  replaced_workers,
  dead_workers,
  hung_workers,
  late_answers,
  rivals,
  watchers,
  reused_pids,
  // verdicts
  slower,
  faster,
  same,
  broken,
  other_verdicts,
  last,
};

inline constexpr std::array<std::string_view, std::size_t(Count::last)> kCountNames{
    "seeds",
    "lives",
    "visits",
    "runs",
    "merges",
    "comparisons",
    "runs in pairs",
    "killed",
    "killed in a write",
    "Ctrl-C",
    "full disk",
    "slow disk",
    "clock jumped",
    "worker did not start",
    "device lost",
    "other device",
    "worker replaced",
    "worker died",
    "worker hung",
    "answer just in time",
    "second run",
    "lock held by a watcher",
    "process id used again",
    "SLOWER",
    "FASTER",
    "SAME",
    "BROKEN",
    "other verdicts"};

/// A count that is one of faults, and when such a fault comes.
struct FaultCount {
  Count count;
  std::string_view moment;
};

inline constexpr std::array kFaultCounts = std::to_array<FaultCount>({
    {Count::deaths, "any step of a life"},
    {Count::deaths_in_writes, "the middle of a write"},
    {Count::interrupts, "any step of a life"},
    {Count::full_disks, "from any write on"},
    {Count::slow_disks, "a whole life"},
    {Count::clock_jumps, "any step of a life"},
    {Count::failed_starts, "the start of a worker"},
    {Count::lost_devices, "the start of a worker"},
    {Count::other_devices, "a life after the first"},
    {Count::replaced_workers, "the start of a worker"},
    {Count::dead_workers, "a visit"},
    {Count::hung_workers, "a visit"},
    {Count::late_answers, "a visit"},
    {Count::rivals, "while a run is at work"},
    {Count::watchers, "as a run begins"},
    {Count::reused_pids, "all lives"},
});

/// Plain numbers, so that a process can hand them to another one.
struct Tally {
  std::array<std::uint64_t, std::size_t(Count::last)> counts{};

  void add(Count count, std::uint64_t more = 1) { counts[std::size_t(count)] += more; }
  std::uint64_t of(Count count) const { return counts[std::size_t(count)]; }
  void add(const Tally& other) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  }
};

}  // namespace plumbline::simulation
