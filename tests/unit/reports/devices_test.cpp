#include <gtest/gtest.h>

#include <array>

#include "reports/assets.h"
#include "reports/devices/charts.h"
#include "reports/devices/page.h"
#include "reports/devices/texts.h"
#include "unit/reports/planted.h"

namespace plumbline {
namespace {

using Runs = std::vector<plumbline::Run>;

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
                    "<h1>Beside NVIDIA H100: NVIDIA B200 ×2.00 over 24 cases × metric; Some "
                    "&lt;b&gt;Other&lt;/b&gt; &amp; Sons ×0.400 over 24 cases × metric.</h1>"));
  EXPECT_TRUE(holds(page, "24 of 72 values are of one visit: they have no interval"));
  EXPECT_TRUE(holds(page, "1 of 3 devices were not calibrated"));
  EXPECT_TRUE(holds(page, "driver 51, the reference 53"));
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = page.find("<tr data-id", at)) != std::string::npos; ++at) ++lines;
  EXPECT_EQ(lines, 24U);
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
  EXPECT_TRUE(holds(page, "<b>×2.00</b>"));
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
  EXPECT_TRUE(
      holds(render_devices(device_table(bare, {}), ""), "no device has both a calibration"));
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
  EXPECT_TRUE(holds(render_devices(table, ""),
                    "NVIDIA B200: revision 2, the reference has 1: another problem (4)"));
}

TEST(DevicesPage, NamesItsMetricsWhereTheyAreSeveralAndEachDifferenceOfTheStack) {
  Runs runs = three_devices();
  for (plumbline::Run& run : runs) {
    const std::vector<ResultRow> rows = run.rows;
    for (const ResultRow& row : rows) run.rows.emplace_back(row).metric = "gpu_time_hot";
  }
  runs[2].info.environment.cudnn = "9.1";
  const std::string page = render_devices(device_table(runs, {}), "");
  EXPECT_TRUE(holds(page, "<th>case</th><th>metric</th>"));
  EXPECT_TRUE(holds(page, "<td class=\"metric\">gpu_time_hot</td>"));
  EXPECT_TRUE(holds(page, "driver 51, the reference 53<br>cuDNN 9.1, the reference unknown"));
}

TEST(DevicesMarkdown, HasEveryModelAndCaseAndEscapesNames) {
  const std::string text = devices_markdown(device_table(three_devices(), {}));
  EXPECT_TRUE(holds(text, "| NVIDIA B200 | ×2.00 | 24 | ×2.00 | ×2.00 |"));
  EXPECT_TRUE(holds(text, "Some \\<b\\>Other\\</b\\> \\& Sons"));
  EXPECT_TRUE(holds(text, "| gemm/libtorch/dtype=float16/k=64/m=128 | gpu\\_time\\_cold |"));
}

/// 28 devices, of which one half has other cases than the other: as published tables have them.
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
  write("wide", device_table(wide, {}),
        R"({"headline": "Beside Wide 0: Wide 27 ×3.70", "rows": 200, "all_rows": 1512, "query":
"n:7,8,default m:128 k:>64", "query_rows": 9, "rooflines": 0, "open_seconds": 2,
"texts": ["The first 200 of 1512 rows"]})");
}

/// Pages for tests/browser/devices_test.py, with the facts planted in them.
TEST(DevicesPage, PagesForTheBrowser) {
  const auto write = [](const std::string& name, const DeviceTable& table, const char* expect) {
    write_page(name, render_devices(table, ""), expect, "devices_pages");
  };
  write(
      "three", device_table(three_devices(), {.prices = {{"H100", 2}, {"B200", 5}}}),
      R"({"headline": "Beside NVIDIA H100: NVIDIA B200 ×2.00", "rows": 24, "query": "k:64 m:>=1024",
"query_rows": 3, "rooflines": 2, "texts": ["a million", "of peak"]})");
  Runs many;
  for (int i = 0; i < 10; ++i)
    many.push_back(device_run("Model " + std::to_string(i), 1 + i, false, 1));
  write(
      "ten", device_table(many, {.reference = "Model 3"}),
      R"({"headline": "Beside Model 3: Model 9 ×2.50", "rows": 24, "query": "-k:64", "query_rows": 18,
"rooflines": 0, "texts": ["None: no device has both"]})");
  write_wide(write);
  Runs variants{device_run("NVIDIA H200", 1, true, 3), device_run("NVIDIA H200", 1.4, true, 3)};
  for (plumbline::Run& run : variants)
    for (ResultRow& row : run.rows) row.error_rel_l2 = 2.5e-4, row.tolerance = 1e-3;
  const DeviceTable table = device_table(variants, {.variants = {"naive", "tiled"}});
  write(
      "variants", table,
      R"({"headline": "Beside naive: tiled ×1.40 over 24 cases × metric", "rows": 24, "query": "m:128",
"query_rows": 4, "rooflines": 2, "texts": ["2 variants on NVIDIA H200", "error 0.00025 of 0.001"]})");
  for (plumbline::Run& run : variants)
    for (ResultRow& row : run.rows) row.case_id.erase(4, std::string("/libtorch").size());
  write("backends", device_table(variants, {.variants = {"libtorch", "custom"}}),
        R"({"headline": "Beside libtorch: custom ×1.40 over 24 cases × metric", "rows": 24,
"query": "op:gemm m:128 k:64", "query_rows": 1, "rooflines": 2, "texts": ["visits of one run"]})");
}

}  // namespace
}  // namespace plumbline
