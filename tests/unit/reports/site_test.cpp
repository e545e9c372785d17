#include "reports/site/site.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

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

/// A case × metric that changed by `change` with the run at that index.
CaseLine changed_line(const std::string& id, const std::string& metric, std::size_t run,
                      double change) {
  CaseLine line{"quick", id, metric, "H200", "1 s", "SAME", "OK", {}, 12};
  line.unit = "s";
  line.steps.push_back({"", change, false, run});
  return line;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// The rows of a table of the page, by its id.
std::size_t rows_of(const std::string& page, const std::string& table) {
  const std::size_t begin = page.find("<tbody>", page.find("id=\"" + table + "\""));
  return count_of(page.substr(begin, page.find("</tbody>", begin) - begin), "<tr>");
}

TEST(SiteIndex, CasesThatOneCommitMovedAreOneRow) {
  std::vector<SiteRun> nights(30, run_of("H200", "11", "SAME"));
  std::vector<KeyedRun> runs;
  for (const SiteRun& night : nights) runs.push_back({std::to_string(runs.size()), &night});
  std::vector<CaseLine> cases;
  for (int n = 0; n < 12; ++n)
    for (const char* metric : {"gpu_time_cold", "kernel_time_cold"})
      cases.push_back(
          changed_line("gemm/cudnn/dtype=float16/n=" + std::to_string(n), metric, 9, -0.05));
  std::string page = render_index(runs, cases, "site", {});
  EXPECT_EQ(rows_of(page, "change-list"), 1U);
  EXPECT_NE(page.find("<summary><bdi class=\"case\"><b>gemm</b> <i>cudnn</i> "
                      "<span>dtype=<em>float16</em></span></bdi> <span class=\"quiet\">12 cases"),
            std::string::npos)
      << page;
  cases.clear();
  for (std::size_t run = 5; run < 30; ++run)
    cases.push_back(
        changed_line("gemm/cudnn/n=" + std::to_string(run), "gpu_time_cold", run, 0.05));
  page = render_index(runs, cases, "site", {});
  EXPECT_EQ(rows_of(page, "change-list"), 20U);
  EXPECT_NE(page.find("5 earlier ones are with their cases"), std::string::npos);
}

TEST(SiteIndex, OpenRegressionsComeFirstWhateverTheLastNightSays) {
  std::vector<SiteRun> nights;
  for (const char* day : {"01", "02", "03", "04"}) nights.push_back(run_of("H200", day, "SAME"));
  nights[1].commit = "3ce2bf4f5400";
  std::vector<KeyedRun> runs;
  for (const SiteRun& night : nights) runs.push_back({std::to_string(runs.size()), &night});
  const auto line = [](const std::string& id, const std::string& metric, Regression found) {
    CaseLine made{"quick", id, metric, "H200", "1 s", "SAME", "OK", {}, 4};
    made.unit = "s";
    made.regressions = {std::move(found)};
    return made;
  };
  const Regression open{.from = 1, .change = 0.15, .before = 1e-5, .after = 1.15e-5};
  Regression fixed = open, known = open;
  fixed.back = 3;
  known.entry = LedgerEntry{};
  known.entry->author = "Ada";
  known.entry->reason = "it checks its bounds";
  const std::string page = render_index(runs,
                                        {line("softmax/libtorch/n=1", "gpu_time_cold", open),
                                         line("softmax/libtorch/n=1", "kernel_time_cold", open),
                                         line("softmax/libtorch/n=2", "gpu_time_cold", open),
                                         line("gemm/libtorch/n=2", "gpu_time_cold", fixed),
                                         line("relu/libtorch/n=2", "gpu_time_cold", known)},
                                        "site", {});
  EXPECT_NE(page.find("<h1>1 regression is open: softmax libtorch is 15 % slower in 2 cases "
                      "since 3ce2bf4f54, 2 days ago</h1>"),
            std::string::npos)
      << page;
  EXPECT_EQ(rows_of(page, "open-list"), 1U);
  EXPECT_NE(page.find("data-label=\"time lost\" data-value=\"3e-06\">+3.0"), std::string::npos)
      << "of each case once: " << page;
  EXPECT_EQ(rows_of(page, "settled-list"), 2U);
  const std::string settled = page.substr(page.find("id=\"settled-list\""));
  EXPECT_NE(settled.find("acknowledged by Ada: it checks its bounds"), std::string::npos);
  EXPECT_NE(settled.find("fixed by <a href=\"commits/3.html\">"), std::string::npos);
  EXPECT_LT(page.find("id=\"open\""), page.find("id=\"settled\""));
  EXPECT_LT(page.find("id=\"settled\""), page.find("id=\"commits\""));
}

TEST(SiteNights, NameTheTimeWhereDaysRepeatAndTheMetricOnce) {
  std::vector<SiteRun> nights{run_of("H200", "01", "SAME"), run_of("H200", "02", "SAME")};
  nights[1].device_uuid = "GPU-0a1b2c3d";
  const auto line = [](const std::string& id, const std::string& metric, std::size_t last) {
    CaseLine made{"quick", id, metric, "H200", "1 s", "SAME", "OK", {}, 2};
    made.recent = {{last, 1e-5}};
    made.level = 1e-5;
    return made;
  };
  const auto map = [&](const std::vector<CaseLine>& cases) {
    const std::string page =
        render_index({{"a", &nights[0]}, {"b", &nights[1]}}, cases, "site", {});
    const std::size_t at = page.find("id=\"nights\"");
    return page.substr(at, page.find("</section>", at) - at);
  };
  const std::vector<CaseLine> cases{line("softmax/n=1", "gpu_time_cold", 0),
                                    line("relu/n=1", "gpu_time_cold", 1)};
  std::string told = map(cases);
  EXPECT_NE(told.find(">10-02</a>"), std::string::npos) << told;
  EXPECT_NE(told.find("on GPU-0a1b2c3d\">"), std::string::npos) << told;
  EXPECT_LT(told.find("relu"), told.find("softmax")) << "the newest run holds it";
  EXPECT_EQ(count_of(told, "gpu_time_cold"), 1U);
  nights[1].started_at = "2026-10-01T14:30:00Z";
  told = map({line("softmax/n=1", "gpu_time_cold", 0), line("relu/n=1", "host_time", 1)});
  EXPECT_NE(told.find(">10-01 14:30</a>"), std::string::npos) << told;
  EXPECT_EQ(count_of(told, "gpu_time_cold"), 1U);
  EXPECT_EQ(count_of(told, "host_time"), 1U);
}

TEST(SiteFeeds, TellWhatBeganAndWhatWasFixedUnderNamesThatStay) {
  std::vector<SiteRun> nights;
  for (const char* day : {"01", "02", "03", "04"}) nights.push_back(run_of("H200", day, "SAME"));
  nights[1].commit = "3ce2bf4f5400";
  nights[1].subject = "Fuse <b> & \"c\"";
  std::vector<KeyedRun> runs;
  for (const SiteRun& night : nights) runs.push_back({std::to_string(runs.size()), &night});
  CaseLine line{"quick", "softmax/libtorch/n=1", "gpu_time_cold", "H200", "1 s", "", "OK", {}, 4};
  line.unit = "s";
  line.regressions = {{.from = 1, .change = 0.15, .before = 1e-5, .after = 1.15e-5}};
  const auto ids = [](const std::string& feed) {
    std::vector<std::string> found;
    for (std::size_t at = feed.find("<id>"); at != feed.npos; at = feed.find("<id>", at + 1))
      found.push_back(feed.substr(at, feed.find("</id>", at) - at));
    return found;
  };
  const std::string open = render_atom_feed(runs, {line}, "site", "");
  ASSERT_EQ(ids(open).size(), 2U) << open;
  EXPECT_NE(open.find("softmax libtorch n=1 is 15 % slower since 3ce2bf4f54"), std::string::npos)
      << open;
  EXPECT_NE(open.find("Fuse &lt;b&gt; &amp; "), std::string::npos) << open;
  EXPECT_NE(open.find("href=\"commits/1.html\""), std::string::npos);
  line.regressions[0].back = 3;
  const std::string fixed = render_atom_feed(runs, {line}, "site", "https://here/");
  ASSERT_EQ(ids(fixed).size(), 3U) << fixed;
  EXPECT_EQ(ids(fixed)[2], ids(open)[1]);
  EXPECT_NE(fixed.find("href=\"https://here/commits/3.html\""), std::string::npos);

  const auto json = nlohmann::json::parse(render_json_feed(runs, {line}, "site", "https://here/"));
  EXPECT_EQ(json.at("version"), "https://jsonfeed.org/version/1.1");
  ASSERT_EQ(json.at("items").size(), 2U);
  EXPECT_EQ(json.at("items")[1].at("url"), "https://here/commits/1.html");
  EXPECT_EQ(json.at("items")[1].at("date_published"), "2026-10-02T02:00:00Z");
  const auto local = nlohmann::json::parse(render_json_feed(runs, {line}, "site", ""));
  EXPECT_FALSE(local.at("items")[0].contains("url")) << "one that is not absolute is none";
}

TEST(SiteIndex, ANameOfThousandsOfCharactersDoesNotFillItsTitle) {
  const SiteRun run = run_of("H200", "11", "SAME");
  CaseLine line{"quick",
                "relu/label=" + std::string(10'000, 'x'),
                "gpu_time_cold",
                "H200",
                "1 s",
                "",
                "OK",
                {},
                4};
  line.regressions = {{.from = 0, .change = 0.15, .before = 1e-5, .after = 1.15e-5}};
  const std::string page = render_index({{"a", &run}}, {line}, "site", {});
  EXPECT_LT(page.find("</h1>") - page.find("<h1>"), 300U);
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
    series.add({.run = std::uint32_t(i), .estimate = i < 2 ? 1e-6 : 2e-6}, {});
  }
  SeriesReading reading;
  reading.changes.push_back({.at = 2, .before = std::log(1e-6), .after = std::log(2e-6)});
  SiteCase shown{"s", "relu/n=1", &runs, {series}, {reading}, {{"", "", "", ""}}, {}, {}, {}, "OK"};
  constexpr const char* kRemark = ", on another device than the run before";
  EXPECT_EQ(render_case_page(shown).find(kRemark), std::string::npos);
  runs[2].device_uuid = "GPU-1";
  EXPECT_NE(render_case_page(shown).find(kRemark), std::string::npos);
}

}  // namespace
}  // namespace plumbline
