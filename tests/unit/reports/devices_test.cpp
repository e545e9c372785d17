#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "reports/assets.h"
#include "reports/devices/charts.h"
#include "reports/devices/headline.h"
#include "reports/devices/page.h"
#include "reports/devices/prices.h"
#include "reports/devices/texts.h"
#include "unit/reports/planted.h"
#include "unit/reports/technique_runs.h"

namespace plumbline {
namespace {

std::string rooflines_of(const DeviceTable& table) {
  return rendered("devices/rooflines", rooflines_data(table));
}

Run device_run(const std::string& model, double speed, bool is_calibrated, std::size_t visits) {
  Run run;
  run.info.environment.device_class = run.info.environment.device_model = model;
  run.info.environment.driver = "5" + std::to_string(visits);
  run.path = "runs/" + model;
  if (is_calibrated)
    run.info.calibration = {{"copy_bytes_per_s", 4e12 * speed},
                            {"matmul_float16_flops_per_s", 8e14 * speed}};
  for (std::size_t i = 0; i < 24; ++i)
    for (std::size_t visit = 0; visit < visits; ++visit) {
      ResultRow& row = run.rows.emplace_back();
      row.suite = "gemms";
      row.case_id = "gemm/libtorch/dtype=float16/k=" + std::to_string(64 << (i / 6)) +
                    "/m=" + std::to_string(128 << (i % 6));
      row.op = "gemm";
      row.backend = "libtorch";
      row.revision = "1";
      row.metric = "gpu_time_cold";
      row.unit = "s";
      row.round = static_cast<std::int64_t>(visit);
      row.flops = 2e8 * double(i + 1);
      row.bytes = 1e6 * double(25 - i);
      const double wave = 1 + 0.3 * double(i % 5) + 0.001 * double(visit);
      row.samples.add_block(std::array{1e-5 * double(i + 1) * wave / speed});
    }
  return run;
}

const Runs& three_devices() {
  static const Runs kRuns{device_run("NVIDIA H100", 1, true, 3),
                          device_run("NVIDIA B200", 2, true, 3),
                          device_run("Some <b>Other</b> & Sons", 0.4, false, 1)};
  return kRuns;
}

TEST(DevicesPage, SaysWhatTheModelsComeToAndShowsEveryCase) {
  const DeviceTable table = device_table(three_devices(), {});
  const std::string page = render_devices(table, "");
  EXPECT_TRUE(holds(page,
                    "<h1>NVIDIA B200 is the fastest of 3: 2.00 times as fast as NVIDIA H100 on "
                    "average, the same in every case.</h1>"));
  EXPECT_TRUE(holds(page, "Means and ranges are over the 24 cases that all 3 devices have, of 24"));
  EXPECT_TRUE(holds(page, "24 of 72 values are of one visit: they have no interval"));
  EXPECT_TRUE(holds(page, "1 of 3 devices were not calibrated"));
  EXPECT_TRUE(holds(page, "&amp; Sons: driver 51, the reference 53"));
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = page.find("<tr data-id", at)) != std::string::npos; ++at) ++lines;
  EXPECT_EQ(lines, 24U);
}

TEST(DevicesPage, TheFastestStandsFirstAndTheReferenceAtItsPlace) {
  const std::string page = render_devices(device_table(three_devices(), {}), "");
  const auto place = [&](const std::string& name) {
    return page.find("title=\"" + name + "\">" + name + "</th>");
  };
  EXPECT_LT(place("NVIDIA B200"), place("NVIDIA H100"));
  EXPECT_LT(place("NVIDIA H100"), place("Some &lt;b&gt;Other&lt;/b&gt; &amp; Sons"));
}

TEST(DevicesPage, CanFetchNothingAndNamesAreText) {
  const std::string page = render_devices(device_table(three_devices(), {}), "");
  EXPECT_TRUE(
      holds(page, "default-src 'none'; script-src '" + std::string(devices_assets().js_hash)));
  EXPECT_FALSE(holds(page, "src=\"http"));
  EXPECT_FALSE(holds(page, "<b>Other</b>"));
  EXPECT_FALSE(holds(page, "{{"));
}

TEST(DevicesPage, HeatIsStrongerForALargerRatioAndTheNumberIsThere) {
  const std::string page = render_devices(device_table(three_devices(), {}), "");
  EXPECT_TRUE(holds(page, "heat up\" style=\"--heat:0.50\" data-v=\"2\""));  // ×2 of ×4
  EXPECT_TRUE(holds(page, "heat down\" style=\"--heat:0.66\" data-v=\"0.4004"));
  EXPECT_TRUE(holds(page, "<b>×2.000 [1."));
}

TEST(DevicesPage, RooflinesAreOfCalibratedDevicesOnlyAndHaveTheirTables) {
  const DeviceTable table = device_table(three_devices(), {});
  const std::string charts = rooflines_of(table);
  EXPECT_TRUE(holds(charts, "Roofline of NVIDIA H100: 24 cases"));
  EXPECT_FALSE(holds(charts, "Other"));
  EXPECT_TRUE(holds(charts, "of calibrated peak"));
  Runs bare = three_devices();
  for (plumbline::Run& run : bare) run.info.calibration.clear();
  EXPECT_TRUE(rooflines_data(device_table(bare, {})).is_null());
  EXPECT_FALSE(holds(render_devices(device_table(bare, {}), ""), "id=\"rooflines\""));
}

TEST(DevicesPage, AVariantOfAnotherDtypeHasItsOwnPlaceUnderTheRoof) {
  Runs variants{device_run("A", 1, true, 1), device_run("A", 1, true, 1)};
  for (plumbline::Run& run : variants) run.rows.resize(1);  // 200 MFLOP, 25 MB
  variants[1].rows[0].bytes *= 2;
  const std::string charts =
      rooflines_of(device_table(variants, {.variants = {"bfloat16", "float32"}}));
  EXPECT_TRUE(holds(charts, "<td class=\"num\">8.00</td>"));
  EXPECT_TRUE(holds(charts, "<td class=\"num\">4.00</td>"));
}

TEST(DevicesPage, APointIsHeldAgainstTheCeilingOfItsOwnDtype) {
  Runs runs = three_devices();
  for (plumbline::Run& run : runs)
    for (auto& [name, rate] : std::map(run.info.calibration))
      if (name == "matmul_float16_flops_per_s") {
        run.info.calibration["matmul_float16_burst_flops_per_s"] = 1.1 * rate;
        run.info.calibration["matmul_float8_flops_per_s"] = 2 * rate;
        run.info.calibration["matmul_float8_burst_flops_per_s"] = 3 * rate;
      }
  const std::string charts = rooflines_of(device_table(runs, {}));
  EXPECT_TRUE(holds(charts, ", float16 ")) << charts.substr(0, 1200);
  EXPECT_FALSE(holds(charts, "float8"));
  EXPECT_FALSE(holds(charts, "burst"));
}

TEST(DevicesPage, ReasonsAreGroupedByDevice) {
  Runs runs = three_devices();
  for (ResultRow& row : runs[1].rows)
    if (row.case_id.ends_with("m=128")) row.revision = "2";
  const DeviceTable table = device_table(runs, {});
  const auto reasons = device_reasons(table);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].device, "NVIDIA B200");
  EXPECT_EQ(reasons[0].rows.size(), 4U);
  EXPECT_TRUE(
      holds(render_devices(table, ""),
            "NVIDIA B200: revision 2 is another problem than revision 1 of the reference (4)"));
}

TEST(DevicesPage, NamesItsMetricsWhereTheyAreSeveralAndEachDifferenceOfTheStack) {
  Runs runs = three_devices();
  for (plumbline::Run& run : runs) {
    const std::vector<ResultRow> rows = run.rows;
    for (const ResultRow& row : rows) run.rows.emplace_back(row).metric = "gpu_time_hot";
  }
  runs[2].info.environment.cudnn = "9.1";
  const std::string page = render_devices(device_table(runs, {}), "");
  EXPECT_TRUE(holds(page, "<th scope=\"col\" class=\"metric\">metric</th>"));
  EXPECT_TRUE(holds(page, "<td class=\"metric\">gpu_time_hot</td>"));
  EXPECT_TRUE(holds(page, "&amp; Sons: driver 51, the reference 53</li>"));
  EXPECT_TRUE(holds(page, "&amp; Sons: cuDNN 9.1, the reference unknown</li>"));
  EXPECT_TRUE(holds(page, "48 values of 24 cases"));
}

TEST(DevicesHeadline, SaysOfAPairWhichWayItsCasesGoAndWhatIntervalsHide) {
  Runs pair{device_run("A", 1, false, 3), device_run("A", 1, false, 3)};
  for (std::size_t i = 0; i < pair[1].rows.size(); ++i) {
    // Three cases 8 % faster, three 8 % slower; each interval shows it.
    const std::size_t kase = i / 3;
    const double factor = kase < 3 ? 1 / 1.08 : kase < 6 ? 1.08 : 1;
    const double time = pair[1].rows[i].samples.values()[0] * factor;
    pair[1].rows[i].samples = {};
    pair[1].rows[i].samples.add_block(std::array{time});
  }
  const DeviceTable table = device_table(pair, {.variants = {"before", "after"}});
  EXPECT_EQ(
      devices_sentence(table),
      "after is as fast as before on average, 7.4\u00A0% slower to 8\u00A0% faster by case. Of "
      "the 24 cases, 3 are faster by more than their interval, 3 slower.");
  EXPECT_TRUE(holds(devices_notes(table).back(), "can hide a difference of its half width: ± "));
}

TEST(DevicesHeadline, AReferenceThatIsFastestIsNamedWithTheNext) {
  EXPECT_EQ(
      devices_sentence(device_table(three_devices(), {.reference = "B200"})),
      "NVIDIA B200 is the fastest of 3; the next, NVIDIA H100, is 0.500 times as fast as NVIDIA "
      "B200 on average, the same in every case.");
}

TEST(DevicesHeadline, AWinnerWithinTheIntervalsIsSaidToBeOne) {
  const auto said = [](double speed, std::string_view reference) {
    const Runs runs{device_run("NVIDIA H100", 1, true, 3),
                    device_run("NVIDIA H200", speed, true, 3),
                    device_run("NVIDIA B200", 0.5, true, 3)};
    return devices_sentence(device_table(runs, {.reference = std::string(reference)}));
  };
  const std::string_view within = "differs from NVIDIA H100 by more than its interval.";
  EXPECT_TRUE(said(1.0005, "H100").ends_with(within)) << said(1.0005, "H100");
  EXPECT_FALSE(said(1.2, "H100").ends_with(within)) << said(1.2, "H100");
  EXPECT_TRUE(said(0.9995, "H100").ends_with(within)) << said(0.9995, "H100");
}

TEST(DevicesHeadline, OfCardsOfOneModelTellsWhatTheyDifferBy) {
  Runs cards;
  for (int i = 0; i < 3; ++i) {
    cards.push_back(device_run("NVIDIA H100", 1 + 0.01 * i, true, 3));
    cards.back().info.environment.device_uuids = {fmt::format("GPU-{}", i)};
  }
  EXPECT_EQ(devices_sentence(device_table(cards, {})),
            "3 cards of NVIDIA H100 differ by 0.99\u00a0%. The fastest, NVIDIA H100 (GPU-2), is "
            "2\u00a0% faster "
            "than NVIDIA H100 (GPU-0) on average, the same in every case.");
}

TEST(DevicesPrices, SayWhyNothingIsComparedAndWhichAreOnTheFrontier) {
  const DeviceTable unpriced =
      device_table(three_devices(), {.prices = {{"B200", 5}}, .currency = "USD"});
  EXPECT_TRUE(holds(render_devices(unpriced, ""),
                    "It is not known of any device: the reference, NVIDIA H100, has no price."));
  const DeviceTable priced =
      device_table(three_devices(), {.prices = {{"B200", 5}, {"H100", 2}, {"Other", 3}}});
  EXPECT_EQ(price_frontier(priced), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(devices_sentence(priced).ends_with(
      "in every case. NVIDIA H100 does the most work for the money."));
  EXPECT_TRUE(
      devices_sentence(
          device_table(three_devices(), {.prices = {{"B200", 1.6}, {"H100", 2}, {"Other", 3}}}))
          .ends_with(
              "in every case. NVIDIA B200 does the most work for the money: 2.50 times as much "
              "as NVIDIA H100."));
  EXPECT_TRUE(
      devices_sentence(device_table(three_devices(), {.prices = {{"B200", 5}, {"H100", 2}}}))
          .ends_with("NVIDIA H100 does the most work for the money of the 2 with a price."));
  EXPECT_FALSE(holds(devices_sentence(unpriced), "money"));
  EXPECT_EQ(price_note(device_table(three_devices(), {})), "");
}

TEST(DevicesMarkdown, HasEveryModelAndCaseAndEscapesNames) {
  const std::string text = devices_markdown(device_table(three_devices(), {}));
  EXPECT_TRUE(holds(text, "| NVIDIA B200 | ×2.00 | 24 | ×2.00 | ×2.00 |"));
  EXPECT_TRUE(holds(text, "Some \\<b\\>Other\\</b\\> \\& Sons"));
  EXPECT_TRUE(holds(text, "| gemm/libtorch/dtype=float16/k=64/m=128 | gpu\\_time\\_cold |"));
}

/// 28 devices; one half has other cases than the other half, as in published tables.
template <class Write>
void write_wide(const Write& write) {
  Runs wide;
  for (int i = 0; i < 28; ++i) {
    wide.push_back(device_run("Wide " + std::to_string(i), 1 + 0.1 * i, false, 1));
    auto& rows = wide.back().rows;
    const std::vector<ResultRow> first = rows;
    for (int n = 1; n < 63; ++n)
      for (const ResultRow& row : first)
        rows.emplace_back(row).case_id += "/n=" + std::to_string(n);
    if (i % 2 == 1)
      std::erase_if(rows, [](const ResultRow& row) { return row.case_id.ends_with('1'); });
  }
  write(
      "wide", device_table(wide, {}),
      R"({"headline": "Wide 27 is the fastest of 28: 3.70 times as fast as Wide 0", "rows": 200, "all_rows": 1512, "query":
"n:7,8,default m:128 k:>64", "query_rows": 9, "rooflines": 0, "open_seconds": 2,
"texts": ["1512 rows"]})");
}

/// Pages for tests/browser/devices_test.py, with their planted facts.
TEST(DevicesPage, PagesForTheBrowser) {
  const auto write = [](const std::string& name, const DeviceTable& table, const char* expect) {
    write_page(name, render_devices(table, ""), expect, "devices_pages");
  };
  write(
      "three",
      device_table(three_devices(), {.prices = {{"H100", 2}, {"B200", 5}}, .currency = "USD"}),
      R"({"headline": "NVIDIA B200 is the fastest of 3: 2.00 times", "rows": 24, "query": "k:64 m:>=1024",
"query_rows": 3, "rooflines": 2, "texts": ["USD/M", "of peak", "×0.800"]})");
  Runs many;
  for (int i = 0; i < 10; ++i)
    many.push_back(device_run("Model " + std::to_string(i), 1 + i, false, 1));
  std::vector<NamedNumber> prices;
  for (int i = 0; i < 10; ++i) prices.push_back({"Model " + std::to_string(i), 1.0 + i});
  write("ten", device_table(many, {.reference = "Model 3", .prices = prices}),
        R"({"headline": "Model 9 is the fastest of 10: 2.50 times as fast as Model 3", "rows": 24,
"query": "-k:64", "query_rows": 18, "rooflines": 0})");
  write_wide(write);
  Runs narrow = three_devices();
  std::erase_if(narrow[2].rows, [](const ResultRow& row) { return row.case_id.ends_with("28"); });
  for (ResultRow& row : narrow[1].rows)  // slower in the small cases
    if (row.case_id.ends_with("m=256")) {
      row.samples = {};
      row.samples.add_block(std::array{1e-3});
    }
  write(
      "narrow", device_table(narrow, {}),
      R"({"headline": "NVIDIA B200 is the fastest of 3: 1.18 times", "rows": 24, "query": "k:64 m:>=256",
"query_rows": 5, "query_mean": "×0.839", "rooflines": 2, "narrow": "Some <b>Other</b> & Sons",
"common_without": "Over 24 cases in common", "texts": ["of 24 rows; without Some <b>Other</b> & Sons they would be 24"]})");
  Runs cards = three_devices();
  cards.push_back(device_run("NVIDIA H100", 1.01, true, 3));
  for (std::size_t i = 0; i < cards.size(); ++i)
    cards[i].info.environment.device_uuids = {fmt::format("GPU-{}", i)};
  write("cards", device_table(cards, {}),
        R"({"headline": "NVIDIA B200 is the fastest of 4: 2.00 times as fast as NVIDIA H100 (GPU-0",
"rows": 24, "query": "m:128", "query_rows": 4, "rooflines": 3,
"texts": ["2 cards of NVIDIA H100 differ by 0.7 %", "×2.00 [1.94, 2.06]"]})");
  Runs variants{device_run("NVIDIA H200", 1, true, 3), device_run("NVIDIA H200", 1.4, true, 3)};
  for (plumbline::Run& run : variants)
    for (ResultRow& row : run.rows) row.error_rel_l2 = 2.5e-4, row.tolerance = 1e-3;
  const DeviceTable table = device_table(variants, {.variants = {"naive", "tiled"}});
  write("variants", table,
        R"({"headline": "tiled is 1.40 times as fast as naive", "rows": 24, "query": "m:128",
"query_rows": 4, "rooflines": 2, "intervals": 24, "texts": ["2 variants on NVIDIA H200", "error 0.00025 of 0.001"]})");
  const Runs techniques = technique_runs(0.06);
  write("techniques", techniques_table(techniques),
        R"({"headline": "One variant costs accuracy: prune=structured 6.0 points", "rows": 18,
"query": "batch:32 op:transformer", "query_rows": 3, "query_dots": 1, "rooflines": 0, "stories": 6, "bars": 24,
"texts": ["−6.0 points", "a CUDA graph has no phases", "visible loss"]})");
  for (plumbline::Run& run : variants)
    for (ResultRow& row : run.rows) row.case_id.erase(4, std::string("/libtorch").size());
  write("backends", device_table(variants, {.variants = {"libtorch", "custom"}}),
        R"({"headline": "custom is 1.40 times as fast as libtorch", "rows": 24,
"query": "op:gemm m:128 k:64", "query_rows": 1, "intervals": 24, "rooflines": 2})");
}

}  // namespace
}  // namespace plumbline
