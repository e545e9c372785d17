/// How often false changes are reported, and how soon true ones: synthetic series with each kind of
/// noise, read as a whole and night by night.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include "analysis/history/history.h"
#include "core/parallel.h"
#include "stats/descriptive.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

using Logs = std::vector<double>;

/// Two changes at most this far apart are one.
constexpr std::size_t kSame = 5;

/// Standard deviation `sd` of each value, correlation `rho` between neighbours; `rho` = 0: white
/// noise.
Logs autoregressive(std::size_t n, double rho, double sd, SyntheticNoise& noise) {
  Logs logs;
  for (std::size_t i = 0; i < n; ++i)
    logs.push_back(i == 0 ? sd * noise.normal()
                          : rho * logs.back() + sd * std::sqrt(1 - rho * rho) * noise.normal());
  return logs;
}

/// Processes are randomly in one of two modes, 5 % apart.
Logs two_modes(SyntheticNoise& noise) {
  Logs logs(100);
  for (double& log : logs) log = (noise.normal() > 0.5 ? 0.05 : 0) + 0.003 * noise.normal();
  return logs;
}

Logs heavy_tails(SyntheticNoise& noise) {
  Logs logs(100);
  for (double& log : logs) {
    double squares = 0;
    for (int i = 0; i < 3; ++i) squares += std::pow(noise.normal(), 2);
    log = 0.01 * noise.normal() / std::sqrt(squares);
  }
  return logs;
}

/// A slow wave: what comes back is no change.
Logs wave(std::size_t n, double period, SyntheticNoise& noise) {
  Logs logs(n);
  for (std::size_t i = 0; i < n; ++i)
    logs[i] = 0.03 * std::sin(2 * std::numbers::pi * double(i) / period) + 0.005 * noise.normal();
  return logs;
}

/// A device that drifts slowly, by less than the noise of runs.
Logs wandering(SyntheticNoise& noise) {
  Logs logs = autoregressive(100, 0.95, 0.007, noise);
  for (double& log : logs) log += 0.005 * noise.normal();
  return logs;
}

/// One binary on a quiet machine, as in series_simulation_test.cpp: nights of Student's t with 4
/// degrees of freedom, half of their variance fades, two modes in one series of fifty.
Logs one_binary(SyntheticNoise& noise) {
  const double sd = 0.0018 * std::exp(0.977 * noise.normal());
  const bool has_modes = noise.uniform() < 0.02;
  Logs logs = autoregressive(100, 0.9, sd * std::numbers::sqrt2 / 2, noise);
  for (double& log : logs) {
    double squares = 0;
    for (int i = 0; i < 4; ++i) squares += std::pow(noise.normal(), 2);
    log += sd / 2 * noise.normal() / std::sqrt(squares / 4);
    if (has_modes && noise.uniform() < 0.3) log += 0.05;
  }
  return logs;
}

SeriesReading reading_of(const Logs& logs) {
  History history;
  Series series;
  series.unit = "s";
  for (std::size_t i = 0; i < logs.size(); ++i) {
    history.runs.push_back({std::to_string(i), "", "", "", "", 1});
    series.add({.run = std::uint32_t(i), .estimate = std::exp(logs[i])}, {});
  }
  return read_series(history, series, {});
}

std::size_t alarms_whole(const Logs& logs) { return reading_of(logs).changes.size(); }

/// Distinct alarms, from readings after each run.
std::size_t alarms_night_by_night(const Logs& logs) {
  std::vector<std::size_t> told;
  for (std::size_t n = 2; n <= logs.size(); ++n) {
    const Logs read(logs.begin(), logs.begin() + std::ptrdiff_t(n));
    for (const ChangePoint& change : reading_of(read).changes) {
      const bool is_known = std::ranges::any_of(told, [&](std::size_t at) {
        return (at > change.at ? at - change.at : change.at - at) <= kSame - 1;
      });
      if (!is_known) told.push_back(change.at);
    }
  }
  return told.size();
}

using Make = std::function<Logs(SyntheticNoise&)>;

struct Rate {
  double alarms = 0, runs = 0;
  double per_thousand() const { return 1000 * alarms / runs; }

  /// Whether it exceeds `most` per 1,000 by more than chance for so few alarms (Poisson, 3 sd).
  bool is_above(double most) const {
    const double expected = most * runs / 1000;
    return alarms > expected + 3 * std::sqrt(expected);
  }
};

Rate rate_of(std::size_t count, const Make& make, std::size_t (*alarms)(const Logs&)) {
  std::vector<double> found(count), values(count);
  for_each_index(count, [&](std::size_t i) {
    SyntheticNoise noise(i + 1);
    const Logs logs = make(noise);
    found[i] = double(alarms(logs));
    values[i] = double(logs.size());
  });
  Rate rate;
  for (std::size_t i = 0; i < count; ++i) {
    rate.alarms += found[i];
    rate.runs += values[i];
  }
  return rate;
}

/// Percent of steps in white noise that are found within five runs.
double power(std::size_t count, std::size_t before, std::size_t after, double step) {
  std::vector<double> found(count);
  for_each_index(count, [&](std::size_t i) {
    SyntheticNoise noise(i + 1);
    Logs logs = autoregressive(before + after, 0, 0.01, noise);
    for (std::size_t k = before; k < logs.size(); ++k) logs[k] += std::log1p(step);
    found[i] = std::ranges::any_of(reading_of(logs).changes, [&](const ChangePoint& change) {
      return change.at + kSame >= before && change.at <= before + kSame;
    });
  });
  return 100 * mean(found);
}

struct Kind {
  const char* name;
  Make make;
  double most_whole, most_night_by_night;  // false ones per 1,000 runs
  std::size_t more = 1;                    // more series if there are few
};

std::vector<Kind> kinds() {
  const auto of = [](double rho) {
    return [rho](SyntheticNoise& noise) { return autoregressive(100, rho, 0.01, noise); };
  };
  return {{"white noise", of(0), 0.02, 0.21, 4},
          {"AR(0.5)", of(0.5), 2.3, 2},
          {"AR(0.9)", of(0.9), 9, 17},
          {"t with 3 degrees of freedom", heavy_tails, 0.1, 1},
          {"two modes at random", two_modes, 0.1, 1},
          {"one binary", one_binary, 1, 2},
          {"wandering below noise", wandering, 3.2, 7.5},
          {"a wave of 50 runs", [](SyntheticNoise& noise) { return wave(100, 50, noise); }, 1, 20}};
}

void expect_few_false_ones(std::size_t count) {
  std::printf("%-30s %8s %15s\n", "false per 1,000 runs", "whole", "night by night");
  for (const Kind& kind : kinds()) {
    const Rate whole = rate_of(4 * count * kind.more, kind.make, alarms_whole),
               nightly = rate_of(count * kind.more, kind.make, alarms_night_by_night);
    std::printf("%-30s %8.3f %15.2f\n", kind.name, whole.per_thousand(), nightly.per_thousand());
    EXPECT_FALSE(whole.is_above(kind.most_whole)) << kind.name;
    EXPECT_FALSE(nightly.is_above(kind.most_night_by_night)) << kind.name;
  }
}

TEST(ChangeSimulation, FalseOnesAreFewOfEachKindOfNoise) { expect_few_false_ones(12); }

TEST(ChangeSimulation, DISABLED_FalseOnesAreFewOfEachKindOfNoiseInManySeries) {
  expect_few_false_ones(200);
}

TEST(ChangeSimulation, NothingIsOverCutInLongSeries) {
  const std::pair<const char*, Make> kinds[] = {
      {"wave of 30", [](SyntheticNoise& noise) { return wave(500, 30, noise); }},
      {"wave of 100", [](SyntheticNoise& noise) { return wave(500, 100, noise); }},
      {"AR(0.9)", [](SyntheticNoise& noise) { return autoregressive(500, 0.9, 0.01, noise); }}};
  for (const auto& [name, make] : kinds)
    EXPECT_LE(rate_of(3, make, alarms_whole).alarms, 1) << name;
}

TEST(ChangeSimulation, StepsAreTold) {
  struct Planted {
    double step;
    std::size_t before, after;
    double least;  // percent
  };
  for (const Planted& planted :
       {Planted{0.02, 30, 30, 94}, Planted{0.02, 50, 50, 98}, Planted{0.05, 40, 5, 99.5},
        Planted{0.05, 100, 5, 99}, Planted{0.05, 20, 5, 98}, Planted{0.05, 20, 2, 79},
        Planted{0.05, 40, 2, 88}, Planted{0.05, 100, 2, 88}, Planted{0.02, 40, 5, 30}}) {
    const double told = power(200, planted.before, planted.after, planted.step);
    std::printf("%+.0f %% after %zu runs, read with %zu more: told in %.1f %%\n",
                100 * planted.step, planted.before, planted.after, told);
    EXPECT_GE(told, planted.least) << planted.step << ' ' << planted.before;
  }
}

TEST(ChangeSimulation, ARampIsADriftAndNamesNoRun) {
  std::size_t drifts = 0, cut = 0;
  constexpr std::size_t kSeries = 100;
  for (std::size_t seed = 1; seed <= kSeries; ++seed) {
    SyntheticNoise noise(seed);
    Logs logs = autoregressive(40, 0, 0.005, noise);
    for (std::size_t night = 0; night < logs.size(); ++night)
      logs[night] += std::log1p(0.004) * double(night);
    const SeriesReading reading = reading_of(logs);
    drifts += reading.drift && reading.drift->is_told(HistoryRule{}.level);
    cut += !reading.changes.empty();
  }
  EXPECT_EQ(drifts, kSeries);
  EXPECT_EQ(cut, 0u);
}

}  // namespace
}  // namespace plumbline
