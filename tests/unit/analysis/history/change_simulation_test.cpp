/// How often changes are told that are none, and how soon those that are one: made-up series of
/// each kind of noise, read whole and night by night.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numbers>

#include "analysis/history/history.h"
#include "core/parallel.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

using Logs = std::vector<double>;

/// Standard deviation `sd` of each value, `rho` from one to the next; `rho` = 0: white.
Logs autoregressive(std::size_t n, double rho, double sd, SyntheticNoise& noise) {
  Logs logs;
  for (std::size_t i = 0; i < n; ++i)
    logs.push_back(i == 0 ? sd * noise.normal()
                          : rho * logs.back() + sd * std::sqrt(1 - rho * rho) * noise.normal());
  return logs;
}

/// Processes fall into one of two modes at random, 5 % apart.
Logs two_modes(std::size_t n, SyntheticNoise& noise) {
  Logs logs(n);
  for (double& log : logs) log = (noise.normal() > 0.5 ? 0.05 : 0) + 0.003 * noise.normal();
  return logs;
}

/// A slow wave: what comes back is no change.
Logs wave(std::size_t n, double period, SyntheticNoise& noise) {
  Logs logs(n);
  for (std::size_t i = 0; i < n; ++i)
    logs[i] = 0.03 * std::sin(2 * std::numbers::pi * double(i) / period) + 0.005 * noise.normal();
  return logs;
}

/// A device that wanders slowly below the noise of runs.
Logs wandering(std::size_t n, SyntheticNoise& noise) {
  Logs logs = autoregressive(n, 0.95, 0.007, noise);
  for (double& log : logs) log += 0.005 * noise.normal();
  return logs;
}

SeriesReading reading_of(const Logs& logs) {
  History history;
  Series series;
  series.unit = "s";
  for (std::size_t i = 0; i < logs.size(); ++i) {
    history.runs.push_back({std::to_string(i), "", "", "", "", 1});
    series.values.push_back({i, std::exp(logs[i]), {}, {}});
  }
  return read_series(history, series, {});
}

std::size_t alarms_whole(const Logs& logs) { return reading_of(logs).changes.size(); }

/// Distinct ones: no nearer than five runs to one told before.
std::size_t alarms_night_by_night(const Logs& logs) {
  std::vector<std::size_t> told;
  for (std::size_t n = 2; n <= logs.size(); ++n)
    for (const ChangePoint& change : reading_of({logs.begin(), logs.begin() + std::ptrdiff_t(n)}).changes) {
      const bool is_known = std::ranges::any_of(told, [&](std::size_t at) {
        return (at > change.at ? at - change.at : change.at - at) < 5;
      });
      if (!is_known) told.push_back(change.at);
    }
  return told.size();
}

using Make = std::function<Logs(SyntheticNoise&)>;

double per_thousand(std::size_t count, const Make& make, std::size_t (*alarms)(const Logs&)) {
  std::vector<double> found(count), values(count);
  for_each_index(count, [&](std::size_t i) {
    SyntheticNoise noise(i + 1);
    const Logs logs = make(noise);
    found[i] = double(alarms(logs));
    values[i] = double(logs.size());
  });
  double all = 0, of = 0;
  for (std::size_t i = 0; i < count; ++i) {
    all += found[i];
    of += values[i];
  }
  return 1000 * all / of;
}

/// Percent of steps that are told, to within two runs.
double power(std::size_t count, std::size_t before, std::size_t after, double step, double rho = 0) {
  std::vector<double> found(count);
  for_each_index(count, [&](std::size_t i) {
    SyntheticNoise noise(i + 1);
    Logs logs = autoregressive(before + after, rho, 0.01, noise);
    for (std::size_t k = before; k < logs.size(); ++k) logs[k] += std::log1p(step);
    found[i] = std::ranges::any_of(reading_of(logs).changes, [&](const ChangePoint& change) {
      return change.at + 5 >= before && change.at <= before + 5;
    });
  });
  double all = 0;
  for (const double one : found) all += one;
  return 100 * all / double(count);
}

TEST(ChangeSimulation, Where) {
  for (const double rho : {0.0, 0.5, 0.9}) {
    std::printf("rho %g\n", rho);
    for (std::size_t i = 0; i < (rho == 0 ? 300 : 20); ++i) {
      SyntheticNoise noise(i + 1);
      const Logs logs = autoregressive(100, rho, 0.01, noise);
      std::vector<std::size_t> told;
      for (std::size_t n = 2; n <= logs.size(); ++n)
        for (const ChangePoint& change : reading_of({logs.begin(), logs.begin() + std::ptrdiff_t(n)}).changes) {
          const bool is_known = std::ranges::any_of(told, [&](std::size_t at) {
            return (at > change.at ? at - change.at : change.at - at) < 5;
          });
          if (!is_known) {
            told.push_back(change.at);
            std::printf("(n %zu after %zu p %.3g size %.3f stat %.3g) ", n, n - change.at, change.p_value, std::abs(change.after - change.before), change.statistic);
          }
        }
    }
    std::printf("\n");
  }
}

TEST(ChangeSimulation, Few) {
  const std::size_t c = 400;
  std::printf("white %.3f AR.5 %.3f AR.9 %.3f modes %.3f wandering %.3f | 30+30 +2%%: %.1f; 20+5 +5%%: %.1f; 20+2: %.1f 40+2: %.1f\n",
    per_thousand(c/2, [](auto& noise) { return autoregressive(100, 0, 0.01, noise); }, alarms_night_by_night),
    per_thousand(c/4, [](auto& noise) { return autoregressive(100, 0.5, 0.01, noise); }, alarms_night_by_night),
    per_thousand(c/8, [](auto& noise) { return autoregressive(100, 0.9, 0.01, noise); }, alarms_night_by_night),
    per_thousand(c/2, [](auto& noise) { return two_modes(100, noise); }, alarms_night_by_night),
    per_thousand(c/8, [](auto& noise) { return wandering(100, noise); }, alarms_night_by_night),
    power(c, 30, 30, 0.02), power(c, 20, 5, 0.05), power(c, 20, 2, 0.05), power(c, 40, 2, 0.05));
}

TEST(ChangeSimulation, Table) {
  const char* env = std::getenv("N");
  const std::size_t c = env ? std::size_t(std::atoi(env)) : 100;
  const auto show = [&](const char* name, std::size_t scale, const Make& make) {
    const double whole = per_thousand(c * scale, make, alarms_whole);
    const double nightly = std::getenv("WHOLE") ? -1 : per_thousand(std::max<std::size_t>(1, c * scale / 4), make, alarms_night_by_night);
    std::printf("%-12s whole %7.3f  nightly %7.3f\n", name, whole, nightly);
    std::fflush(stdout);
  };
  show("white", 8, [](auto& noise) { return autoregressive(100, 0, 0.01, noise); });
  show("AR(0.5)", 1, [](auto& noise) { return autoregressive(100, 0.5, 0.01, noise); });
  show("AR(0.9)", 1, [](auto& noise) { return autoregressive(100, 0.9, 0.01, noise); });
  show("modes", 1, [](auto& noise) { return two_modes(100, noise); });
  show("t3", 2, [](auto& noise) {
    Logs logs(100);
    for (double& log : logs) {
      double squares = 0;
      for (int k = 0; k < 3; ++k) squares += std::pow(noise.normal(), 2);
      log = 0.01 * noise.normal() / std::sqrt(squares);
    }
    return logs;
  });
  show("wandering", 1, [](auto& noise) { return wandering(100, noise); });
  for (const double step : {0.02, 0.05})
    for (const std::size_t after : {2u, 5u})
      std::printf("+%g after %zu: %5.1f (20 before) %5.1f (40) %5.1f (100);  AR.5 %5.1f\n", step, after,
                  power(c, 20, after, step), power(c, 40, after, step), power(c, 100, after, step), power(c, 40, after, step, 0.5));
  std::printf("middle +2%%: %5.1f %5.1f\n", power(c, 30, 30, .02), power(c, 50, 50, 0.02));
  if (std::getenv("LONG")) {
    show("wave 100", 1, [](auto& noise) { return wave(100, 50, noise); });
  for (const std::size_t period : {30u, 100u}) {
    std::printf("wave %zu of 500: %7.3f\n", period, per_thousand(std::max<std::size_t>(c / 20, 2), [&](auto& noise) { return wave(500, double(period), noise); }, alarms_whole));
  }
  std::printf("AR(0.9) of 500: %7.3f\n", per_thousand(std::max<std::size_t>(c / 20, 2), [&](auto& noise) { return autoregressive(500, 0.9, 0.01, noise); }, alarms_whole));
  }
}

}  // namespace
}  // namespace plumbline
