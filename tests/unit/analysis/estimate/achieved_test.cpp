#include "analysis/estimate/achieved.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

/// A device that copies 4 TB/s ± 1 %, multiplies float16 at 800 and tf32 at 400 TFLOP/s, and has 50
/// MB of L2. One case takes a millisecond, with three visits 0.1 % apart.
struct OneCase {
  plumbline::Run run = planted::run_on("NVIDIA H200");

  OneCase(double flops, double bytes, const std::string& metric = "gpu_time_cold",
          const std::string& dtype = "float16", double spread = 0.001) {
    run.info.calibration = {{"copy_bytes_per_s", 4e12},
                            {"copy_bytes_per_s_uncertainty", 4e10},
                            {"matmul_float16_flops_per_s", 8e14},
                            {"matmul_tf32_flops_per_s", 4e14},
                            {"matmul_float8_flops_per_s", 16e14}};
    run.info.environment.device_l2_bytes = 50000000;
    planted::add_case(run, "gemm/libtorch/dtype=" + dtype + "/m=8", 1e-3, spread, metric);
    for (ResultRow& row : run.rows) {
      row.flops = flops;
      row.bytes = bytes;
    }
  }
  Achieved achieved() const {
    const std::vector<CaseRows> cases = rows_by_case(run);
    const MetricRows& rows = cases.at(0).metrics.at(0);
    return plumbline::achieved(rows, estimate(rows.rows), run.info);
  }
};

/// The part of the run to which a case with this work per millisecond belongs.
RunPart part(double flops, double bytes, const std::string& metric = "gpu_time_cold",
             const std::string& dtype = "float16") {
  const OneCase one(flops, bytes, metric, dtype);
  const std::vector<CaseRows> cases = rows_by_case(one.run);
  return run_part(cases.at(0).metrics.at(0), 1e-3, one.run.info);
}

using Flags = std::vector<std::string_view>;

TEST(Achieved, is_work_over_time_and_its_share_of_what_was_calibrated) {
  const Achieved found = OneCase(6e11, 1e9).achieved();
  EXPECT_NEAR(found.flops_per_s / 6e14, 1, 1e-5);
  EXPECT_NEAR(found.bytes_per_s / 1e12, 1, 1e-5);
  EXPECT_NEAR(found.flops_share, 0.75, 1e-5);
  EXPECT_NEAR(found.bytes_share, 0.25, 1e-5);
  EXPECT_EQ(found.share(), found.flops_share);  // the nearer limit
  EXPECT_EQ(found.flags, Flags{});
}

TEST(Achieved, without_cost_or_calibration_is_unknown_and_claims_nothing) {
  EXPECT_TRUE(std::isnan(OneCase(kUnknown, kUnknown).achieved().share()));
  OneCase uncalibrated(6e13, 1e11);
  uncalibrated.run.info.calibration.clear();
  EXPECT_NEAR(uncalibrated.achieved().bytes_per_s / 1e14, 1, 1e-5);
  EXPECT_TRUE(std::isnan(uncalibrated.achieved().share()));
  EXPECT_EQ(uncalibrated.achieved().flags, Flags{});
  const Achieved no_rate_of_this_type = OneCase(6e13, 1e9, "gpu_time_cold", "float64").achieved();
  EXPECT_TRUE(std::isnan(no_rate_of_this_type.flops_share));
  EXPECT_EQ(no_rate_of_this_type.share(), no_rate_of_this_type.bytes_share);
  EXPECT_EQ(no_rate_of_this_type.flags, Flags{});
}

TEST(Achieved, far_beyond_the_peak_is_faster_than_the_device) {
  const auto found = [](double flops, double bytes) { return OneCase(flops, bytes).achieved(); };
  EXPECT_EQ(found(9.9e11, 1e9).beyond, "") << "within a quarter of 800 TFLOP/s";
  EXPECT_EQ(found(1.02e12, 1e9).flags, (Flags{kFlagFlopsAbovePeak, kFlagFasterThanDevice}));
  EXPECT_NE(found(1.02e12, 1e9).beyond.find("1.27 times the FLOP rate of float16 products"),
            std::string::npos)
      << found(1.02e12, 1e9).beyond;
  EXPECT_EQ(found(0, 4.2e9).beyond, "") << "4.15 TB must cross, 4.24 are within the error";
  EXPECT_EQ(found(0, 4.4e9).flags, (Flags{kFlagBandwidthAbovePeak, kFlagFasterThanDevice}));
}

TEST(Achieved, products_of_8_bit_floats_are_held_against_their_own_peak) {
  const auto share = [](const std::string& op, const std::string& dtype) {
    OneCase product(1.2e12, 1e9, "gpu_time_cold", dtype);
    for (ResultRow& row : product.run.rows) row.op = op;
    EXPECT_EQ(product.achieved().flops_dtype, "float8");
    EXPECT_EQ(product.achieved().flags, Flags{});
    return product.achieved().flops_share;
  };
  EXPECT_NEAR(share("fp8_gemm", "bfloat16"), 0.75, 1e-5);  // the dtype of its result
  EXPECT_NEAR(share("block_fp8_gemm", "bfloat16"), 0.75, 1e-5);
  EXPECT_NEAR(share("mxfp8_gemm", "bfloat16"), 0.75, 1e-5);
  EXPECT_NEAR(share("bert", "float32/quantize=fp8"), 0.75, 1e-5);
  EXPECT_NEAR(share("sdpa", "float8_e4m3fn"), 0.75, 1e-5);
  EXPECT_NEAR(share("gemm", "float8_e5m2"), 0.75, 1e-5);
}

TEST(Achieved, products_of_4_bit_floats_have_no_peak_and_are_never_beyond_one) {
  OneCase product(9e15, 1e9, "gpu_time_cold", "bfloat16");
  for (ResultRow& row : product.run.rows) row.op = "nvfp4_gemm";
  EXPECT_TRUE(std::isnan(product.achieved().flops_share));
  EXPECT_EQ(product.achieved().flags, Flags{});
}

TEST(Achieved, a_network_is_held_against_the_peak_of_its_precision) {
  const auto dtype = [](const std::string& axes) {
    return OneCase(1.2e12, 1e9, "gpu_time_cold", axes).achieved().flops_dtype;
  };
  EXPECT_EQ(dtype("float32/precision=bfloat16/step=training"), "bfloat16");
  EXPECT_EQ(dtype("float32/precision=tf32"), "tf32");
  EXPECT_EQ(dtype("float16/precision=4"), "float16") << "a parameter of a declared op";
}

TEST(Achieved, only_times_of_a_launch_have_rates) {
  for (const char* metric : {"host_time", "stream_latency", "data_time", "forward_time",
                             "backward_time", "compile_time", "latency_p99", "rank_skew_hot"})
    EXPECT_TRUE(std::isnan(OneCase(6e11, 1e9, metric).achieved().flops_per_s)) << metric;
  for (const char* metric :
       {"wall_time", "graph_time", "kernel_time_hot", "kernel_span_hot", "time"})
    EXPECT_NEAR(OneCase(6e11, 1e9, metric).achieved().flops_share, 0.75, 1e-5) << metric;
  OneCase memory(6e11, 1e9, "peak_memory");
  for (ResultRow& row : memory.run.rows) row.unit = std::string("B");
  EXPECT_TRUE(std::isnan(memory.achieved().flops_per_s));
}

TEST(Achieved, launches_side_by_side_have_the_rate_of_all_of_them) {
  const Achieved found = OneCase(6e11, 1e9, "makespan").achieved();
  EXPECT_NEAR(found.flops_share, 0.75, 1e-5);
  EXPECT_EQ(OneCase(8.2e11, 1e9, "makespan").achieved().flags, Flags{kFlagFlopsAbovePeak});
}

/// A copy of 40 MB in a millisecond, on a bus with a known rate of 50 GB/s to the device.
Achieved copied(const std::string& params, double h2d_bytes_per_s = 5e10) {
  OneCase copy(kUnknown, 4e7);
  copy.run.info.calibration["h2d_bytes_per_s"] = h2d_bytes_per_s;
  copy.run.info.calibration["d2h_bytes_per_s"] = 2e10;
  for (ResultRow& row : copy.run.rows) {
    row.op = std::string("copy");
    row.case_id = "copy/libtorch/dtype=float32/elements=10000000" + params;
  }
  return copy.achieved();
}

TEST(Achieved, a_copy_over_the_bus_is_held_against_the_bus_and_not_against_the_memory) {
  EXPECT_NEAR(copied("").bytes_share, 4e10 / 4e12, 1e-6);
  EXPECT_NEAR(copied("/path=host_to_device").bytes_share, 0.8, 1e-5);
  EXPECT_NEAR(copied("/path=device_to_host").bytes_share, 2, 1e-5);
  EXPECT_EQ(copied("/path=host_to_device").flags, Flags{});
  EXPECT_EQ(copied("/path=device_to_host").flags,
            (Flags{kFlagBusAbovePeak, kFlagFasterThanDevice}));
  const Achieved uncalibrated = copied("/host=pageable/path=host_to_device");
  EXPECT_TRUE(std::isnan(uncalibrated.bytes_share));
  EXPECT_NEAR(uncalibrated.bytes_per_s / 4e10, 1, 1e-5);
}

TEST(Achieved, a_hundredth_above_the_bus_is_no_doubt_as_longer_copies_are_that_much_faster) {
  // The interval of the time lowers 40 GB/s by 0.6 %.
  EXPECT_EQ(copied("/path=host_to_device", 3.95e10).flags, Flags{});
  EXPECT_EQ(copied("/path=host_to_device", 3.9e10).flags, Flags{kFlagBusAbovePeak});
}

TEST(Achieved, a_bandwidth_above_the_peak_is_flagged_beyond_both_uncertainties_only) {
  // 4.04 TB/s are possible, and the interval of the time lowers the rate by 0.6 %.
  const double l2 = 5e7;
  EXPECT_EQ(OneCase(0, 4.03e9 + l2).achieved().flags, Flags{});
  EXPECT_EQ(OneCase(0, 4.05e9 + l2).achieved().flags, Flags{});
  EXPECT_EQ(OneCase(0, 4.08e9 + l2).achieved().flags, Flags{kFlagBandwidthAbovePeak});
  EXPECT_EQ(OneCase(0, 4.08e9 + l2, "gpu_time_cold", "float16", 0.01).achieved().flags, Flags{});
}

TEST(Achieved, bytes_that_need_not_cross_the_memory_bus_do_not_count) {
  OneCase small(0, 4.5e7);  // all written bytes may stay in L2
  for (ResultRow& row : small.run.rows) {
    SampleSet samples;
    const double seconds[] = {1e-5};  // 4.5 TB/s
    samples.add_block(seconds);
    row.samples = samples;
  }
  EXPECT_GT(small.achieved().bytes_share, 1.1);
  EXPECT_EQ(small.achieved().flags, Flags{});
  // Up to the size of L2, reads and writes each need not cross the memory bus.
  EXPECT_EQ(OneCase(0, 4.13e9, "gpu_time_hot").achieved().flags, Flags{});
  EXPECT_EQ(OneCase(0, 4.13e9, "gpu_time_cold").achieved().flags, Flags{kFlagBandwidthAbovePeak});
  EXPECT_EQ(OneCase(0, 4.18e9, "gpu_time_hot").achieved().flags, Flags{kFlagBandwidthAbovePeak});
  OneCase unknown_cache(0, 9e9);
  unknown_cache.run.info.environment.device_l2_bytes.reset();
  EXPECT_EQ(unknown_cache.achieved().flags, Flags{});
}

TEST(Achieved, a_rate_of_multiplication_above_the_peak_is_flagged) {
  EXPECT_EQ(OneCase(8.02e11, 1e9).achieved().flags, Flags{});
  EXPECT_EQ(OneCase(8.2e11, 1e9).achieved().flags, Flags{kFlagFlopsAbovePeak});
}

TEST(Achieved, a_single_launch_is_held_against_single_products_where_those_are_faster) {
  OneCase fast(8.2e11, 1e9);
  fast.run.info.calibration["matmul_float16_burst_flops_per_s"] = 9e14;
  EXPECT_EQ(fast.achieved().flags, Flags{});
  EXPECT_NEAR(fast.achieved().flops_share, 8.2 / 9, 1e-5);
}

TEST(Achieved, float32_is_held_against_tf32_where_products_run_in_it) {
  OneCase single(3e11, 1e9, "kernel_time_cold", "float32");
  EXPECT_TRUE(std::isnan(single.achieved().flops_share));
  single.run.info.environment.numerics = std::string("tf32 on, cudnn.benchmark off");
  EXPECT_NEAR(single.achieved().flops_share, 0.75, 1e-5);
  OneCase by_case(3e11, 1e9, "kernel_time_cold", "float32");
  for (ResultRow& row : by_case.run.rows) row.case_id += "/library.tf32=true";
  EXPECT_NEAR(by_case.achieved().flops_share, 0.75, 1e-5);
}

TEST(Achieved, a_single_visit_has_the_scatter_of_its_blocks_as_its_interval) {
  OneCase one(0, 4.06e9 + 5e7);
  one.run.rows.resize(1);  // blocks 0.1 % apart: three standard errors are 0.12 %
  EXPECT_EQ(one.achieved().flags, Flags{kFlagBandwidthAbovePeak});
  for (ResultRow& row : one.run.rows) row.bytes = 4.038e9 + 5e7;
  EXPECT_EQ(one.achieved().flags, Flags{});
}

TEST(Achieved, a_case_moves_with_the_limit_that_explains_at_least_half_of_its_time) {
  EXPECT_EQ(part(6e11, 1e9), RunPart::compute);  // 0.75 ms of products, 0.25 ms of copying
  EXPECT_EQ(part(1e11, 3e9), RunPart::memory);   // 0.125 ms, 0.75 ms
  EXPECT_EQ(part(0, 3e9), RunPart::memory);      // a copy
  EXPECT_EQ(part(3e11, 1.6e9), RunPart::whole);  // 0.375 ms, 0.4 ms: something else takes more time
  EXPECT_EQ(part(6e11, 1e9, "makespan"), RunPart::whole);
}

TEST(Achieved, without_cost_or_calibration_a_case_moves_with_the_whole_run_only) {
  EXPECT_EQ(part(kUnknown, 3e9), RunPart::whole);
  EXPECT_EQ(part(6e11, kUnknown), RunPart::whole);
  EXPECT_EQ(part(6e11, 1e9, "gpu_time_cold", "float64"), RunPart::whole);
  EXPECT_EQ(part(0, 3e9, "gpu_time_cold", "int64"), RunPart::memory);
}

TEST(Achieved, hot_bytes_that_fit_in_the_cache_bind_nothing_to_memory) {
  EXPECT_EQ(part(0, 2.2e9, "gpu_time_hot"), RunPart::memory);
  EXPECT_EQ(part(0, 2.05e9, "gpu_time_cold"), RunPart::memory);
  EXPECT_EQ(part(0, 2.05e9, "gpu_time_hot"), RunPart::whole);  // 100 MB of it may stay in L2
}

}  // namespace
}  // namespace plumbline
