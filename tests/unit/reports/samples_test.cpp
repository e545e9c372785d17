#include "reports/sections/detail/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "unit/reports/planted.h"

namespace plumbline {
namespace {

TEST(Samples, ReducedSamplesFitTheRoomAndActionCasesKeepTheirs) {
  const Planted planted_runs;
  const ReportInput input = planted_runs.input();
  const ReportModel model = make_model(input);
  EXPECT_EQ(detail_for_room(model, 10'000'000), SampleDetail::all);
  const SampleDetail small = detail_for_room(model, 60'000);
  EXPECT_EQ(small, SampleDetail::block_quantiles);
  EXPECT_EQ(detail_for_room(model, 0), SampleDetail::round_quantiles);
  for (const CaseView& view : model.cases) {
    const EncodedSamples encoded = encode_samples(view, detail_of(view, small));
    if (view.id != planted_runs.source.id(kSlower)) continue;
    EXPECT_EQ(encoded.values.size(), 480U * 3);
  }
}

/// Reads the first value of a row like samples.js.
double first_value(const EncodedSamples& encoded, int letters) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  double number = 0;
  for (int i = 0; i < letters; ++i)
    number = number * 64 + double(alphabet.find(encoded.values[std::size_t(i)]));
  const double share = number / (std::pow(64.0, letters) - 1);
  return encoded.low * std::pow(encoded.high / encoded.low, share);
}

TEST(Samples, EncodedSamplesReadBackAndKnowTheirBlocks) {
  const Planted planted_runs;
  const ReportInput input = planted_runs.input();
  const ReportModel model = make_model(input);
  const CaseView& view = model.cases.back();
  const double sample = view.baseline.visits.front()->samples.values()[0];
  const EncodedSamples all = encode_samples(view, SampleDetail::all);
  EXPECT_EQ(all.baseline_shape, "0:8x10|1:8x10|2:8x10");
  EXPECT_EQ(all.values.size(), 480U * 3);
  EXPECT_NEAR(first_value(all, 3) / sample, 1, 1e-6);
  EXPECT_EQ(encode_samples(view, SampleDetail::block_quantiles).values.size(), 48U * 3 * 2);
  EXPECT_EQ(encode_samples(view, SampleDetail::block_medians).values.size(), 48U * 2);
  const EncodedSamples rounds = encode_samples(view, SampleDetail::round_quantiles);
  EXPECT_EQ(rounds.baseline_shape, "0:1x80|1:1x80|2:1x80");
  EXPECT_EQ(rounds.values.size(), 6U * 3 * 2);
}

TEST(Samples, UnevenBlocksKeepTheirSizes) {
  ResultRow row;
  row.case_id = "add/libtorch";
  row.metric = "wall_time";
  row.unit = "s";
  for (const std::vector<double>& block :
       {std::vector<double>{1, 2}, std::vector<double>{3, 4}, std::vector<double>{5, 6, 7}})
    row.samples.add_block(block);
  plumbline::Run run;
  run.rows = {row};
  const ReportInput input{&run};
  const ReportModel model = make_model(input);
  EXPECT_EQ(encode_samples(model.cases[0], SampleDetail::all).candidate_shape, "0:2x2+1x3");
}

}  // namespace
}  // namespace plumbline
