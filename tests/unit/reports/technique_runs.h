/// Planted runs of networks with techniques: times, phases, memory, energy and accuracy.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "analysis/devices/device_table.h"
#include "core/run/run.h"

namespace plumbline {

using Runs = std::vector<plumbline::Run>;

inline void add_value(plumbline::Run& run, const std::string& case_id, const std::string& metric,
                      const std::string& unit, std::int64_t round, double value) {
  ResultRow& row = run.rows.emplace_back();
  row.suite = "nets";
  row.case_id = case_id;
  row.op = case_id.substr(0, case_id.find('/'));
  row.backend = "custom";
  row.revision = "1";
  row.metric = metric;
  row.unit = unit;
  row.round = round;
  row.samples.add_block(metric == "wall_time" ? std::vector<double>(40, value)
                                              : std::vector<double>{value});
}

/// Training steps of two networks over three seeds, `speed` times as fast, with `lost` accuracy.
inline Run technique_run(double speed, double lost, bool has_phases) {
  constexpr std::array kPhases{
      std::pair{"forward_time", 0.3}, std::pair{"loss_time", 0.02}, std::pair{"backward_time", 0.5},
      std::pair{"scale_and_clip_time", 0.03}, std::pair{"optimizer_time", 0.15}};
  constexpr std::array kAccuracies{0.912, 0.894, 0.903}, kNoises{0.002, -0.003, 0.001};
  Run run;
  run.info.environment.device_class = "NVIDIA H200";
  run.path = "runs/nets";
  for (const char* const net : {"convolutional", "transformer"})
    for (const char* const params :
         {"/custom/batch=32/width=8", "/custom/batch=64/width=16", "/custom/batch=128/width=16"})
      for (std::int64_t round = 0; round < 3; ++round) {
        const std::string id = std::string(net) + params;
        const double time = 2e-3 / speed * (1 + 0.002 * double(round));
        add_value(run, id, "wall_time", "s", round, time);
        add_value(run, id, "peak_memory", "B", round, 5e6 / speed);
        add_value(run, id, "energy", "J", round, 0.3 / speed);
        const auto seed = std::size_t(round);
        add_value(run, id, "accuracy", "1", round,
                  kAccuracies[seed] - lost + (lost > 0 ? kNoises[seed] : 0));
        if (has_phases)
          for (const auto& [phase, share] : kPhases)
            add_value(run, id, phase, "s", round, share * time);
      }
  return run;
}

inline DeviceTable techniques_table(const Runs& runs) {
  return device_table(
      runs, {.variants = {"none", "precision=bfloat16", "graph=true", "prune=structured"}});
}

inline Runs technique_runs(double lost) {
  return {technique_run(1, 0, true), technique_run(1.3, 0, true), technique_run(2, 0, false),
          technique_run(1.5, lost, true)};
}

}  // namespace plumbline
