#include "reports/site/site.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

SiteRun run_of(const std::string& device, const std::string& day, const std::string& verdict) {
  SiteRun run;
  run.started_at = "2026-10-" + day + "T02:00:00Z";
  run.device_class = device;
  run.sentence = verdict + " on " + day;
  run.counts[verdict] = "3";
  return run;
}

TEST(SiteIndex, SaysWhatTheNewestRunOfEachDeviceClassSaysWorstFirst) {
  const SiteRun slow = run_of("H200", "11", "SLOWER"), same = run_of("H100", "12", "SAME"),
                older = run_of("H100", "10", "BROKEN");
  const std::string page =
      render_index({{"a", &older}, {"b", &slow}, {"c", &same}}, {}, "site", {});
  EXPECT_NE(page.find("<h1>H200: SLOWER on 11</h1>"), std::string::npos) << page;
  const std::string latest = page.substr(page.find("class=\"latest\""));
  EXPECT_LT(latest.find("SLOWER on 11"), latest.find("SAME on 12"));
  EXPECT_EQ(latest.substr(0, latest.find("</ul>")).find("BROKEN on 10"), std::string::npos);
}

TEST(SiteIndex, ChangesNameTheirDeviceAndALastRunThatLiesApartIsTold) {
  const SiteRun run = run_of("H200", "11", "SAME");
  CaseLine changed{"quick", "relu/n=1", "gpu_time_cold", "H200", "1 s", "", "", {{"a", 0.08}}, 12};
  CaseLine apart{"quick", "gemm/n=1", "gpu_time_cold", "H100", "1 s", "", "", {}, 12};
  apart.last_is_apart = true;
  const std::string page = render_index({{"a", &run}}, {changed, apart}, "site", {});
  const std::string changes = page.substr(page.find("id=\"changes\""));
  EXPECT_NE(changes.find("data-label=\"device\">H200"), std::string::npos);
  EXPECT_NE(changes.find("The last run of 1 case lies apart"), std::string::npos);
}

TEST(SiteIndex, ACaseThatItsLastRunCallsSlowerIsToldBeforeAChangeCanBePlaced) {
  const SiteRun run = run_of("H200", "11", "SLOWER");
  const CaseLine slower{"quick", "relu/n=1", "gpu_time_cold", "H200", "1 s", "SLOWER", "", {}, 2};
  const CaseLine same{"quick", "gemm/n=1", "gpu_time_cold", "H200", "1 s", "SAME", "", {}, 2};
  const auto changes = [&](const std::vector<CaseLine>& cases) {
    const std::string page = render_index({{"a", &run}}, cases, "site", {});
    const std::size_t at = page.find("id=\"changes\"");
    return page.substr(at, page.find("</section>", at) - at);
  };
  const std::string told = changes({slower, same});
  EXPECT_NE(told.find("The last run of 1 case lies apart"), std::string::npos) << told;
  EXPECT_NE(told.find("relu"), std::string::npos) << told;
  EXPECT_EQ(told.find("gemm"), std::string::npos) << told;
  EXPECT_NE(changes({same}).find("placed from 6 runs on"), std::string::npos);
  CaseLine old = same;
  old.runs = 6;
  EXPECT_NE(changes({same, old}).find("No case has changed"), std::string::npos);
}

TEST(SitePages, RunsNameTheirDeviceAndAChangeThatCameWithAnotherSaysSo) {
  SiteRun run = run_of("H200", "11", "SAME");
  run.device_uuid = "GPU-0a1b2c3d-0000-0000-0000-000000000000";
  EXPECT_NE(render_runs_script({{"a", &run}}).find(",\"GPU-0a1b2c3d\"]"), std::string::npos);

  std::vector<PastRun> runs(4);
  Series series{"s", "relu/n=1", "gpu_time_cold", "s", "1", "H200", 0, {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].path = std::to_string(i);
    runs[i].device_uuid = "GPU-0";
    series.values.push_back({i, i < 2 ? 1e-6 : 2e-6, {}, {}});
  }
  SeriesReading reading;
  reading.changes.push_back({.at = 2, .before = std::log(1e-6), .after = std::log(2e-6)});
  SiteCase shown{"s", "relu/n=1", &runs, {series}, {reading}, {{"", "", "", ""}}, {}, "OK"};
  constexpr const char* kRemark = ", on another device than the run before";
  EXPECT_EQ(render_case_page(shown).find(kRemark), std::string::npos);
  runs[2].device_uuid = "GPU-1";
  EXPECT_NE(render_case_page(shown).find(kRemark), std::string::npos);
}

}  // namespace
}  // namespace plumbline
