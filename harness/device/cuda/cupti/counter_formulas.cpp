#include "device/cuda/cupti/counter_formulas.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/run/metric.h"

namespace plumbline::cuda {
namespace {

constexpr double kSectorBytes = 32, kPercent = 0.01;
constexpr std::string_view kNoSectors = "the launch asked L2 for nothing";
constexpr std::string_view kNoLookups = "the launch looked up nothing in L1";
constexpr std::string_view kNoLoads =
    "the launch loads nothing from global memory by instructions "
    "of single threads";
constexpr std::string_view kNoStores =
    "the launch stores nothing to global memory by instructions "
    "of single threads";
constexpr std::string_view kNoWarps = "the launch runs no warps";
constexpr std::string_view kWarpTime = "smsp__warps_active.sum";

constexpr CounterFormula stall(std::string_view metric, std::string_view counter) {
  return {metric, counter, kWarpTime, 1, kNoWarps};
}

// "pct_of_peak_sustained_active": over the cycles in which the unit had work, as the hardware sums
// them over all units.
constexpr std::array kFormulas = std::to_array<CounterFormula>({
    {kDramBytes, "dram__bytes.sum"},
    {"dram_read_bytes", "dram__bytes_read.sum"},
    {"dram_write_bytes", "dram__bytes_write.sum"},
    {"l2_bytes", "lts__t_sectors_srcunit_tex.sum", "", kSectorBytes},
    {"l2_hit_rate", "lts__t_sectors_srcunit_tex_lookup_hit.sum", "lts__t_sectors_srcunit_tex.sum",
     1, kNoSectors},
    {"l1_hit_rate", "l1tex__t_sectors_lookup_hit.sum", "l1tex__t_sectors.sum", 1, kNoLookups},
    {"sectors_per_load", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1, kNoLoads},
    {"sectors_per_store", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 1, kNoStores},
    {"shared_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {"instructions", "smsp__inst_executed.sum"},
    {"issue_active", "smsp__issue_active.avg.pct_of_peak_sustained_active", "", kPercent},
    {"tensor_active", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "",
     kPercent},
    {"achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", "", kPercent},
    stall("stall_long_scoreboard", "smsp__warps_issue_stalled_long_scoreboard.sum"),
    stall("stall_short_scoreboard", "smsp__warps_issue_stalled_short_scoreboard.sum"),
    stall("stall_barrier", "smsp__warps_issue_stalled_barrier.sum"),
    stall("stall_math_pipe", "smsp__warps_issue_stalled_math_pipe_throttle.sum"),
    stall("stall_mio_throttle", "smsp__warps_issue_stalled_mio_throttle.sum"),
    stall("stall_lg_throttle", "smsp__warps_issue_stalled_lg_throttle.sum"),
    stall("stall_wait", "smsp__warps_issue_stalled_wait.sum"),
    stall("stall_no_instruction", "smsp__warps_issue_stalled_no_instruction.sum"),
    stall("stall_gmma", "smsp__warps_issue_stalled_gmma.sum"),
});

}  // namespace

std::span<const CounterFormula> counter_formulas() { return kFormulas; }

std::vector<std::string_view> needed_counters() {
  std::vector<std::string_view> names;
  for (const CounterFormula& formula : kFormulas)
    for (const std::string_view name : {formula.counter, formula.over})
      if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

CounterReading counted(const std::map<std::string, double>& counters, const std::string& chip) {
  const auto value_of = [&](std::string_view name) {
    const auto found = counters.find(std::string(name));
    return found == counters.end() ? std::nan("") : found->second;
  };
  CounterReading reading;
  for (const CounterFormula& formula : kFormulas) {
    const double count = value_of(formula.counter);
    const double over = formula.over.empty() ? 1 : value_of(formula.over);
    const std::string metric(formula.metric);
    if (!std::isfinite(count) || !std::isfinite(over))
      reading.absent[metric] = "the chip " + chip + " has no counter " +
                               std::string(std::isfinite(count) ? formula.over : formula.counter);
    else if (over == 0)
      reading.absent[metric] = formula.nothing;
    else
      reading.values[metric] = formula.scale * count / over;
  }
  return reading;
}

}  // namespace plumbline::cuda
