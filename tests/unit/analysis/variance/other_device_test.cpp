// Recognising different machines, and comparing runs of two of them. Seeded.
#include "analysis/variance/other_device.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/history/history.h"
#include "analysis/variance/noise_priors.h"
#include "unit/analysis/compared.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

using enum Sameness;

Environment machine(const std::string& uuid, const std::string& host, const std::string& boot_id) {
  Environment environment;
  environment.device_uuids = {uuid};
  environment.host = host;
  environment.boot_id = boot_id;
  environment.kernel = "6.1";
  environment.driver = "580";
  return environment;
}

Sameness sameness(const Environment& a, const Environment& b) {
  EXPECT_EQ(relation_of(a, b).sameness, relation_of(b, a).sameness);
  return relation_of(a, b).sameness;
}

TEST(OtherDevice, one_boot_is_one_machine_whatever_its_containers_are_called) {
  EXPECT_EQ(sameness(machine("U", "a", "1"), machine("U", "a", "1")), same);
  EXPECT_EQ(sameness(machine("U", "a", "1"), machine("U", "b", "1")), same);
}

TEST(OtherDevice, another_host_is_another_machine_although_the_uuid_is_the_same) {
  EXPECT_EQ(sameness(machine("U", "a", "1"), machine("U", "b", "2")), other_machine);
  EXPECT_EQ(sameness(machine("U", "a", ""), machine("U", "b", "2")), other_machine);
  EXPECT_EQ(sameness(machine("U", "a", ""), machine("V", "b", "")), other_device);
  EXPECT_EQ(relation_of(machine("U", "a", "1"), machine("U", "b", "2")).what,
            "another host: 'a' and 'b'");
}

TEST(OtherDevice, a_boot_a_kernel_and_a_driver_are_other_states_of_one_machine) {
  const Environment before = machine("U", "a", "1");
  EXPECT_EQ(relation_of(before, machine("U", "a", "2")).what, "another boot");
  Environment now = before;
  now.driver = "590";
  EXPECT_EQ(sameness(before, now), other_state);
  EXPECT_EQ(relation_of(before, now).what, "another driver: '580' and '590'");
  now = machine("U", "a", "");
  now.kernel = "6.2";
  EXPECT_EQ(relation_of(before, now).what, "another kernel: '6.1' and '6.2'");
}

TEST(OtherDevice, what_a_side_does_not_say_tells_nothing_apart_but_the_uuid) {
  const Environment known = machine("U", "a", "1");
  EXPECT_EQ(sameness(known, machine("U", "", "")), same);
  EXPECT_EQ(sameness(known, machine("U", "a", "")), same);
  EXPECT_EQ(sameness(known, machine("V", "a", "1")), other_device);
  Environment unnamed = known;
  unnamed.device_uuids = {};
  EXPECT_EQ(sameness(unnamed, unnamed), other_device);
}

TEST(OtherDevice, runs_are_grouped_by_host_or_boot_within_a_uuid) {
  const std::vector<MachineMarks> runs{{"U", "a", "1"}, {"U", "b", "2"}, {"U", "a", "3"},
                                       {"U", "c", "2"}, {"V", "a", "1"}, {"U", "c", "4"}};
  EXPECT_EQ(machines_of(runs), (std::vector<std::size_t>{0, 1, 0, 1, 4, 1}));
}

TEST(OtherDevice, runs_of_a_uuid_stay_together_where_one_does_not_name_its_host) {
  const std::vector<MachineMarks> runs{{"U", "a", "1"}, {"U", "", ""}, {"U", "b", "2"}};
  EXPECT_EQ(machines_of(runs), (std::vector<std::size_t>{0, 0, 0}));
}

TEST_F(Compared, two_hosts_are_noted_listed_and_judged_as_two_machines) {
  before.info.environment.host = "vm-1";
  after.info.environment.host = "vm-2";
  const Comparison found = compared();
  EXPECT_EQ(found.rule.run_sd, 0.015);
  EXPECT_EQ(
      found.notes.at(0),
      "Another machine with a device of the same class (another host: 'vm-1' and 'vm-2'): machines "
      "differ, so we assume that whole runs differ by 1.5 %, not by 0.25 %.");
  ASSERT_EQ(found.environment_changes.size(), 1u);
  EXPECT_EQ(found.environment_changes[0].name, "host");
}

TEST_F(Compared, a_boot_is_noted_and_an_unknown_one_listed_alone) {
  before.info.environment.boot_id = "1";
  after.info.environment.boot_id = "2";
  EXPECT_EQ(compared().rule.run_sd, noise_prior("cuda", other_state).run_sd);
  EXPECT_EQ(compared().notes.at(0),
            "The same machine in another state (another boot): that can move single cases, so "
            "we assume that whole runs differ by 0.3 %, not by 0.25 %.");
  before.info.environment.boot_id = "";
  const Comparison found = compared();
  EXPECT_EQ(found.rule.run_sd, default_rule("cuda").run_sd);
  ASSERT_EQ(found.environment_changes.size(), 1u);
  EXPECT_EQ(found.environment_changes[0].name, "boot_id");
  EXPECT_EQ(found.environment_changes[0].baseline, "");
}

TEST_F(Compared, at_a_desk_nothing_is_judged_otherwise) {
  const Comparison unnamed = compared();
  for (auto* run : {&before, &after}) {
    run->info.environment.host = "desk";
    run->info.environment.boot_id = "1";
    run->info.environment.kernel = "6.1";
    run->info.environment.driver = "580";
  }
  const Comparison named = compared();
  EXPECT_EQ(named.rule.run_sd, unnamed.rule.run_sd);
  EXPECT_EQ(named.notes, unnamed.notes);
  for (std::size_t i = 0; i < named.findings.size(); ++i) {
    EXPECT_EQ(named.findings[i].verdict, unnamed.findings[i].verdict);
    EXPECT_EQ(named.findings[i].change_high, unnamed.findings[i].change_high);
  }
}

/// How often a comparison of unchanged cases calls one slower or faster.
struct Called {
  int jobs = 0, with_false = 0;
  std::size_t cases = 0, false_cases = 0;
};

/// Two virtual machines that report the same UUID, with differences of `sd` from case to case
/// (logarithms).
Called jobs_on_two_machines(std::size_t cases, double sd, bool is_host_named) {
  Called called;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const planted::Noise noise;
    const std::vector<double> sds(cases, noise.block_sd);
    std::vector<double> factors(cases, 1.0);
    plumbline::Run before = planted::simulate(factors, sds, noise, random);
    for (double& factor : factors) factor = std::exp(sd * normal(random));
    plumbline::Run now = planted::simulate(factors, sds, noise, random);
    if (is_host_named) {
      before.info.environment.host = "vm-1";
      now.info.environment.host = "vm-2";
    }
    const Comparison made = compare(before, now, default_rule("cuda"));
    const std::size_t wrong = made.count(Verdict::slower) + made.count(Verdict::faster);
    ++called.jobs;
    called.with_false += wrong > 0;
    called.cases += cases;
    called.false_cases += wrong;
  }
  return called;
}

TEST(TwoMachines, with_one_uuid_and_few_cases_are_called_within_the_rates_bounds) {
  for (const std::size_t cases : {4, 8, 11, 24})
    for (const double sd : {0.01, 0.02, 0.03}) {
      const Called before = jobs_on_two_machines(cases, sd, false);
      const Called now = jobs_on_two_machines(cases, sd, true);
      std::printf(
          "%zu cases, machines %.0f %% apart: %.1f %% of the jobs called one, now %.1f %% "
          "(%.2f %% of the cases)\n",
          cases, 100 * sd, 100.0 * before.with_false / before.jobs,
          100.0 * now.with_false / now.jobs, 100 * double(now.false_cases) / double(now.cases));
      EXPECT_GT(before.with_false, before.jobs / 10);
      EXPECT_LE(double(now.false_cases),
                default_rule("cuda").false_discovery_rate * double(now.cases));
    }
}

/// Nights of jobs on the machine that `host_of` names; machines differ by `machine_sd` from case to
/// case.
std::vector<RunSummary> nights_on(int nights, int cases, double machine_sd, const auto& host_of) {
  std::vector<RunSummary> summaries;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int night = 0; night < nights; ++night) {
    RunSummary& summary = summaries.emplace_back();
    const std::string host = host_of(night);
    summary.run.path = "night-" + std::to_string(night);
    summary.run.started_at = "2026-01-" + std::to_string(10 + night) + "T00:00:00Z";
    summary.run.device_class = "NVIDIA H200";
    summary.run.device_uuid = "GPU-1";
    summary.run.measurement_revision = kMeasurementRevision;
    summary.run.host = host;
    for (int i = 0; i < cases; ++i) {
      CaseSummary& row = summary.rows.emplace_back();
      row.suite = "quick";
      row.case_id = "op/libtorch/n=" + std::to_string(i);
      row.metric = "gpu_time_cold";
      row.unit = std::string("s");
      row.revision = std::string("1");
      std::mt19937_64 of_machine(std::hash<std::string>{}(row.case_id + host));
      row.estimate = 1e-5 * std::exp(machine_sd * std::normal_distribution<double>()(of_machine) +
                                     0.001 * normal(random));
    }
  }
  return summaries;
}

double median_sd(const std::vector<RunVariance>& variances) {
  std::vector<double> sds;
  for (const RunVariance& variance : variances) sds.push_back(std::sqrt(variance.variance));
  std::ranges::nth_element(sds, sds.begin() + std::ptrdiff_t(sds.size() / 2));
  return sds[sds.size() / 2];
}

TEST(TwoMachines, of_one_uuid_are_each_looked_at_by_itself_in_a_history) {
  const auto variances = run_variances(
      make_history(nights_on(20, 40, 0.02, [](int night) { return night % 2 ? "vm-1" : "vm-2"; })));
  EXPECT_NEAR(median_sd(variances), 0.001, 0.0002);
  EXPECT_FALSE(variances[0].is_of_machines);
}

TEST(TwoMachines, of_jobs_on_a_new_one_each_time_are_what_runs_differ_by) {
  auto nights = nights_on(20, 40, 0.005, [](int night) { return "vm-" + std::to_string(night); });
  nights.back().run.is_candidate = true;
  const auto variances = run_variances(make_history(nights));
  EXPECT_NEAR(median_sd(variances), 0.005, 0.001);
  EXPECT_TRUE(variances[0].is_of_machines);
  EXPECT_EQ(variances[0].df, 18);
}

/// Two unchanged runs before and after a boot, with earlier runs in `boots` different boots.
Comparison after_a_boot(int boots, const std::string& host_now = "vm-1") {
  auto summaries = nights_on(12, 8, 0, [](int) { return "vm-1"; });
  for (std::size_t i = 0; i < summaries.size(); ++i)
    summaries[i].run.boot_id = std::to_string(int(i) * boots / 12);
  const History history = make_history(summaries);
  CompareOptions options;
  options.history = &history;
  plumbline::Run before = planted::run_on("NVIDIA H200"), now = before;
  for (int i = 0; i < 8; ++i)
    for (plumbline::Run* run : {&before, &now})
      planted::add_case(*run, "op/libtorch/n=" + std::to_string(i), 1e-5);
  before.info.environment.host = "vm-1";
  before.info.environment.boot_id = "0";
  now.info.environment.host = host_now;
  now.info.environment.boot_id = "now";
  return compare(before, now, default_rule("cuda"), options);
}

TEST(TwoStates, of_a_machine_differ_by_what_earlier_runs_in_three_boots_say) {
  const Comparison one = after_a_boot(1), three = after_a_boot(3);
  EXPECT_EQ(one.notes.at(0),
            "The same machine in another state (another boot): that can move single cases, so "
            "we assume that whole runs differ by 0.3 %, not by 0.25 %.");
  EXPECT_EQ(
      three.notes.at(0),
      "The same machine in another state (another boot): earlier runs measured how far such runs "
      "lie apart.");
  EXPECT_GT(*one.findings[0].change_high, 3 * *three.findings[0].change_high);
  EXPECT_GT(*after_a_boot(3, "vm-2").findings[0].change_high, *one.findings[0].change_high);
}

}  // namespace
}  // namespace plumbline
