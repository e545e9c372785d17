/// Ops with several right results: the comparison accepts any right one and no wrong one.
#include <ATen/ops/arange.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/round.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include "against_reference.h"

namespace plumbline {
namespace {

using Change = std::function<void(const Problem&, const Tensors& inputs, Tensors& results)>;

/// Whether the op's results still count as right after the change.
bool is_right(const TestProblem& tested, DType dtype, bool is_backward, const Change& change) {
  const Case subject = case_of(tested, dtype, is_backward);
  const Problem problem(subject);
  Comparison comparison = against_reference(subject);
  for (at::Tensor& result : comparison.results) result = result.clone();
  change(problem, comparison.inputs, comparison.results);
  const Tensors compared =
      find_definition(tested.op)->comparable(problem, comparison.inputs, comparison.results);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const at::Tensor &found = compared[i], &expected = comparison.expected.at(i);
    if (!expected.is_floating_point() && !at::equal(found, expected)) return false;
    if (expected.is_floating_point() && !(error_of(found, expected) <= comparison.tolerance))
      return false;
  }
  return compared.size() == comparison.expected.size();
}

void nothing(const Problem&, const Tensors&, Tensors&) {}

struct Wrong {
  const char* what;
  Change change;
};

void expect_caught(const TestProblem& tested, DType dtype, bool is_backward,
                   const std::vector<Wrong>& mistakes) {
  SCOPED_TRACE(tested.op + " " + std::string(info(dtype).name));
  EXPECT_TRUE(is_right(tested, dtype, is_backward, nothing));
  for (const auto& [what, change] : mistakes)
    EXPECT_FALSE(is_right(tested, dtype, is_backward, change)) << what;
}

const std::vector<Wrong> kWrongSelections{
    {"an index that names another element",
     [](auto&, auto&, Tensors& results) {
       results[1][0][0] = (results[1][0][0] + 1).remainder(results[1].size(1));
     }},
    {"two indices exchanged",
     [](auto&, auto&, Tensors& results) {
       const at::Tensor first = results[1][1][0].clone();
       results[1][1][0] = results[1][1][results[1].size(1) - 1];
       results[1][1][results[1].size(1) - 1] = first;
     }},
    {"an index outside of the row", [](auto&, auto&, Tensors& results) { results[1][0][1] = -1; }},
    {"two values exchanged",
     [](auto&, auto&, Tensors& results) {
       const at::Tensor first = results[0][1][0].clone();
       results[0][1][0] = results[0][1][results[0].size(1) - 1];
       results[0][1][results[0].size(1) - 1] = first;
     }},
};

TEST(Selections, WrongValuesAndIndicesAreCaught) {
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    expect_caught({"topk", "rows=5 cols=1001 k=50"}, dtype, false, kWrongSelections);
    expect_caught({"sort", "rows=5 cols=1001"}, dtype, false, kWrongSelections);
    expect_caught({"sort", "rows=5 cols=1001 descending=true"}, dtype, false, kWrongSelections);
  }
  expect_caught({"sort", "rows=5 cols=1001"}, DType::int32, false, kWrongSelections);
}

TEST(Selections, EqualValuesMayComeInAnyOrderButEachOnce) {
  // The 50 largest of 1001 values in bfloat16 have equal neighbours, whose indices are
  // interchangeable.
  const auto equal_neighbours = [](const at::Tensor& values) {
    for (std::int64_t i = 0; i + 1 < values.size(1); ++i)
      if (values[0][i].item<double>() == values[0][i + 1].item<double>()) return i;
    return std::int64_t{-1};
  };
  const TestProblem tested{"topk", "rows=5 cols=1001 k=50"};
  EXPECT_TRUE(is_right(tested, DType::bfloat16, false, [&](auto&, auto&, Tensors& results) {
    const std::int64_t i = equal_neighbours(results[0]);
    ASSERT_GE(i, 0);
    const at::Tensor first = results[1][0][i].clone();
    results[1][0][i] = results[1][0][i + 1];
    results[1][0][i + 1] = first;
  }));
  EXPECT_FALSE(is_right(tested, DType::bfloat16, false, [&](auto&, auto&, Tensors& results) {
    const std::int64_t i = equal_neighbours(results[0]);
    results[1][0][i] = results[1][0][i + 1];
  }));
}

/// The result for a mask.
Change masked(const std::function<at::Tensor(const at::Tensor& place)>& is_dropped, double scale) {
  return [=](const Problem&, const Tensors& inputs, Tensors& results) {
    const at::Tensor place = at::arange(results[0].numel());
    results[0] = at::where(is_dropped(place), 0, inputs.back().detach() * scale);
  };
}

TEST(Dropout, WrongScalesSharesAndPatternsAreCaught) {
  const double kept = 1 / (1 - 0.5);
  const std::vector<Wrong> mistakes{
      {"not scaled", [](auto&, auto&, Tensors& results) { results[0] = results[0] * 0.5; }},
      {"nothing dropped", masked([](const at::Tensor& i) { return i < 0; }, kept)},
      {"everything dropped", masked([](const at::Tensor& i) { return i >= 0; }, kept)},
      {"the first half dropped",
       masked([](const at::Tensor& i) { return i < i.numel() / 2; }, kept)},
      {"every other element dropped", masked([](const at::Tensor& i) { return i % 2 == 0; }, kept)},
      {"neighbours dropped together",
       masked([](const at::Tensor& i) { return (i.floor_divide(2) * 7919) % 16 < 8; }, kept)},
      {"a wrong element",
       [](auto&, auto&, Tensors& results) {
         const at::Tensor kept_place = (results[0] != 0).nonzero()[7][0];
         results[0][kept_place.item<std::int64_t>()] += 0.1;
       }},
      {"an input's sign lost",
       [](auto&, auto&, Tensors& results) { results[0] = results[0].abs(); }},
  };
  for (const DType dtype : {DType::float32, DType::bfloat16})
    for (const bool is_backward : {false, true})
      expect_caught({"dropout", "elements=10007 p=0.5"}, dtype, is_backward, mistakes);
}

TEST(Dropout, AnotherRandomMaskIsRight) {
  for (const double p : {0.0, 0.001, 0.1, 0.5, 0.9}) {
    const TestProblem tested{"dropout", "elements=1001 p=" + to_text(p)};
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      EXPECT_TRUE(is_right(tested, DType::float32, false,
                           [&](auto&, auto& inputs, Tensors& results) {
                             const at::Tensor draws =
                                 filled_tensor({1001}, DType::float64, 1000 + seed,
                                               {Distribution::Kind::uniform, 0, 1});
                             results[0] = at::where(draws < p, 0, inputs[0] / (1 - p));
                           }))
          << p << " with seed " << seed;
  }
}

TEST(Int8, QuantisationThatDoesNotRoundToTheNearestIsCaught) {
  for (const char* params : {"rows=7 cols=333", "rows=7 cols=333 scale=row"})
    for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16})
      expect_caught(
          {"quantize_int8", params}, dtype, false,
          {{"truncated",
            [](auto&, auto& inputs, Tensors& results) {
              results[0] = (inputs[0].to(at::kDouble) / results[1].to(at::kDouble)).to(at::kChar);
            }},
           {"one element a step off",
            [](auto&, auto&, Tensors& results) { results[0][3][100] += 1; }},
           {"the sign lost", [](auto&, auto&, Tensors& results) { results[0] = results[0].abs(); }},
           {"a scale for 128 steps", [](auto&, auto& inputs, Tensors& results) {
              results[1] = results[1] * (127.0 / 128);
              results[0] = at::round(inputs[0] / results[1]).clamp(-128, 127).to(at::kChar);
            }}});
}

/// y / scale, from the launch's inputs and scale.
at::Tensor steps_of(const Tensors& inputs, const Tensors& results) {
  const at::Tensor sum = inputs[0].to(at::kDouble) + inputs[1].to(at::kDouble);
  const at::Tensor root = at::sqrt(at::square(sum).mean(-1, /*keepdim=*/true) + 1e-5);
  return sum / root * inputs[2].to(at::kDouble) / results[1].to(at::kDouble);
}

at::Tensor in_type_of(const at::Tensor& result, const at::Tensor& steps) {
  return (result.scalar_type() == at::kChar ? at::round(steps) : steps).to(result.scalar_type());
}

const std::vector<Wrong> kWrongQuantisations{
    {"one element a step off",
     [](auto&, const Tensors& inputs, Tensors& results) {
       const std::int64_t at = steps_of(inputs, results)[3].abs().argmin().item<std::int64_t>();
       results[0][3][at] = (results[0][3][at].to(at::kDouble) + 1).to(results[0].scalar_type());
     }},
    {"the sign lost",
     [](auto&, const Tensors& inputs, Tensors& results) {
       results[0] = in_type_of(results[0], steps_of(inputs, results).abs());
     }},
    {"the weight left out",
     [](auto&, const Tensors& inputs, Tensors& results) {
       results[0] = in_type_of(results[0],
                               steps_of({inputs[0], inputs[1], at::ones_like(inputs[2])}, results));
     }},
    {"the residual left out",
     [](auto&, const Tensors& inputs, Tensors& results) {
       results[0] = in_type_of(
           results[0], steps_of({inputs[0], at::zeros_like(inputs[1]), inputs[2]}, results));
     }},
    {"one scale for all rows",
     [](auto&, const Tensors& inputs, Tensors& results) {
       results[1] = results[1].amax().expand_as(results[1]).clone();
       results[0] = in_type_of(results[0], steps_of(inputs, results));
     }},
    {"a scale for half of the range",
     [](auto&, const Tensors& inputs, Tensors& results) {
       results[1] = results[1] * 2;
       results[0] = in_type_of(results[0], steps_of(inputs, results));
     }},
    {"the residual not updated",
     [](auto&, const Tensors& inputs, Tensors& results) { results[2] = inputs[1].clone(); }}};

TEST(ResidualRmsNorm, QuantisationThatDoesNotRoundToTheNearestIsCaught) {
  const Wrong truncated{"truncated", [](auto&, const Tensors& inputs, Tensors& results) {
                          results[0] = steps_of(inputs, results).to(at::kChar);
                        }};
  const Wrong coarse{
      "two bits after the point", [](auto&, const Tensors& inputs, Tensors& results) {
        results[0] =
            steps_of(inputs, results).to(at::kFloat8_e5m2).to(at::kFloat).to(at::kFloat8_e4m3fn);
      }};
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
    expect_caught({"residual_rms_norm", "rows=7 cols=333 quantize=int8"}, dtype, false,
                  kWrongQuantisations);
    expect_caught({"residual_rms_norm", "rows=7 cols=333 quantize=int8"}, dtype, false,
                  {truncated});
    expect_caught({"residual_rms_norm", "rows=7 cols=333 quantize=fp8"}, dtype, false,
                  kWrongQuantisations);
    expect_caught({"residual_rms_norm", "rows=7 cols=333 quantize=fp8"}, dtype, false, {coarse});
  }
}

TEST(MoeRouting, WrongExpertsAndWeightsAreCaught) {
  for (const char* params :
       {"tokens=33 experts=60 top_k=7", "tokens=33 experts=60 top_k=7 renormalize=false"})
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      expect_caught({"moe_routing", params}, dtype, false, kWrongSelections);
      expect_caught({"moe_routing", params}, dtype, false,
                    {{"weights that do not add up to what they should",
                      [](auto&, auto&, Tensors& results) { results[0] = results[0] * 0.9; }}});
    }
}

/// How many logits of the row are larger than the token's.
std::int64_t place_of(const at::Tensor& row, const at::Tensor& token) {
  return (row > row[token.item<std::int64_t>()]).sum().item<std::int64_t>();
}

TEST(Sampling, TokensBesideTheirShareAreCaught) {
  const auto neighbour = [](std::int64_t step) {
    return [step](const Problem&, const Tensors& inputs, Tensors& results) {
      const at::Tensor order = inputs[0][0].argsort(/*dim=*/0, /*descending=*/true);
      const std::int64_t place = place_of(inputs[0][0], results[0][0]);
      results[0][0] = order[place == 0 && step < 0 ? 1 : place + step];
    };
  };
  const std::vector<Wrong> mistakes{
      {"the next token", neighbour(1)},
      {"the token before", neighbour(-1)},
      {"a token outside of the vocabulary",
       [](auto&, auto&, Tensors& results) { results[0][0] = 77; }},
      {"the likeliest token always",
       [](auto&, auto& inputs, Tensors& results) { results[0] = inputs[0].argmax(1); }},
      {"the number of another row",
       [](auto&, auto&, Tensors& results) { results[0] = results[0].roll(1); }},
  };
  for (const char* params :
       {"rows=33 vocabulary=77 top_k=77 top_p=1", "rows=33 vocabulary=77 top_k=20 top_p=0.8"})
    expect_caught({"sampling", params}, DType::float32, false, mistakes);
}

/// All of 77 logits instead of the 20 largest, or instead of the nucleus.
TEST(Sampling, AnotherNucleusIsCaught) {
  const auto sampled = [](const char* params) {
    return against_reference(case_of({"sampling", params}, DType::float32, false)).results[0];
  };
  const char* const kParams = "rows=200 vocabulary=77 top_k=20 top_p=0.8";
  for (const char* other :
       {"rows=200 vocabulary=77 top_k=77 top_p=0.8", "rows=200 vocabulary=77 top_k=20 top_p=1",
        "rows=200 vocabulary=77 top_k=20 top_p=0.79"})
    EXPECT_FALSE(is_right({"sampling", kParams}, DType::float32, false,
                          [&](auto&, auto&, Tensors& results) { results[0] = sampled(other); }))
        << other;
}

TEST(Adamw, AStepThatLeavesSomethingOutIsOutsideTheTolerance) {
  const Comparison comparison =
      against_reference(case_of({"adamw", "elements=1001"}, DType::float32, false));
  const Case subject = case_of({"adamw", "elements=1001"}, DType::float32, false);
  const Problem problem(subject);
  const Operands fresh = operands_of(problem);
  const at::Tensor parameter = fresh.inputs[0].to(at::kDouble);
  const at::Tensor& stepped = comparison.expected[0];
  EXPECT_GT(error_of(parameter, stepped), comparison.tolerance) << "no step";
  EXPECT_GT(error_of(stepped + 0.001 * parameter, stepped), comparison.tolerance) << "no decay";
  const double uncorrected = 1 - std::pow(0.9, 10);
  EXPECT_GT(error_of(0.999 * parameter + uncorrected * (stepped - 0.999 * parameter), stepped),
            comparison.tolerance)
      << "the first moment's correction left out";
  for (const std::size_t moment : {1, 2})
    EXPECT_GT(error_of(fresh.inputs[moment + 1], comparison.expected[moment]), comparison.tolerance)
        << "moments as they were";
}

}  // namespace
}  // namespace plumbline
