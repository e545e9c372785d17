/// Collectives: what each rank must get, computed here by hand.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "backends/implementation.h"
#include "backends/libtorch/libtorch.h"
#include "backends/reference_blocks.h"
#include "support/catalogue_case.h"

namespace plumbline {
namespace {

using Rows = std::vector<std::vector<double>>;

/// The op's expected results, as rows.
Rows expected_of(const Case& subject, const Tensors& inputs) {
  Rows rows;
  for (const at::Tensor& result :
       find_definition(subject.op)->reference(Problem(subject), inputs).all) {
    const at::Tensor flat = result.contiguous();
    rows.emplace_back(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
  }
  return rows;
}

/// The op's expected results for two ranks that hold 1, 2, 3, 4 and 10, 20, 30, 40.
Rows expected_of(const std::string& text, const Rows& given = {{1, 2, 3, 4}, {10, 20, 30, 40}}) {
  const Case subject = case_of(text + " elements=4 ranks=2 dtype=float64");
  Tensors inputs;
  for (const std::vector<double>& row : given) inputs.push_back(at::tensor(row));
  return expected_of(subject, inputs);
}

/// {elements, rank} of the inputs.
std::vector<std::pair<std::int64_t, int>> inputs_of(const std::string& text) {
  const Case subject = case_of(text + " elements=4 ranks=2 dtype=float64");
  std::vector<std::pair<std::int64_t, int>> found;
  for (const InputSpec& input : find_definition(subject.op)->inputs(Problem(subject)))
    found.emplace_back(input.shape.at(0), input.rank);
  return found;
}

TEST(Collectives, EveryRankGetsWhatItsOpPromises) {
  EXPECT_EQ(expected_of("all_reduce"), (Rows{{11, 22, 33, 44}, {11, 22, 33, 44}}));
  EXPECT_EQ(expected_of("reduce_scatter"), (Rows{{11, 22}, {33, 44}}));
  EXPECT_EQ(expected_of("all_gather", {{1, 2}, {3, 4}}), (Rows{{1, 2, 3, 4}, {1, 2, 3, 4}}));
  EXPECT_EQ(expected_of("all_to_all"), (Rows{{1, 2, 10, 20}, {3, 4, 30, 40}}));
  EXPECT_EQ(expected_of("broadcast", {{1, 2, 3, 4}}), (Rows{{1, 2, 3, 4}, {1, 2, 3, 4}}));
  EXPECT_EQ(expected_of("send_recv"), (Rows{{10, 20, 30, 40}, {1, 2, 3, 4}}));
}

TEST(Collectives, ANormIsOfTheSumAndOfTheRanksOwnResidualAndWeight) {
  const Case subject = case_of("all_reduce_rms_norm rows=1 cols=2 eps=0 ranks=2 dtype=float64");
  const auto pair = [](double a, double b) { return at::tensor(std::vector{a, b}); };
  const auto row = [&](double a, double b) { return pair(a, b).view({1, 2}); };
  const Rows found =
      expected_of(subject, {row(1, 2), row(1, 1), row(1, 4), row(-2, -3), pair(5, 10), pair(2, 2)});
  // Sums 3, 7 and 0, 0: the root mean square of the first is sqrt(29).
  EXPECT_EQ(found[0], (std::vector{3., 7.}));
  EXPECT_EQ(found[1], (std::vector{0., 0.}));
  EXPECT_NEAR(found[2][0], 5 * 3 / std::sqrt(29), 1e-12);
  EXPECT_NEAR(found[2][1], 10 * 7 / std::sqrt(29), 1e-12);
  EXPECT_TRUE(std::isnan(found[3][0]));  // 0 / sqrt(0 + eps)
}

TEST(Collectives, AnOverlappedProductIsTheRanksOwn) {
  const Case subject =
      case_of("overlapped_all_reduce elements=2 n=2 ranks=2 dtype=float64 overlap=false");
  const auto pair = [](double a, double b) { return at::tensor(std::vector{a, b}); };
  const at::Tensor one = at::tensor(std::vector{1., 2., 3., 4.}).view({2, 2}),
                   flip = at::tensor(std::vector{0., 1., 1., 0.}).view({2, 2});
  const Rows found = expected_of(subject, {pair(1, 2), pair(10, 20), one, flip, flip, one});
  EXPECT_EQ(found, (Rows{{11, 22}, {11, 22}, {2, 1, 4, 3}, {3, 4, 1, 2}}));
}

TEST(Collectives, ReductionsAreAsNamed) {
  EXPECT_EQ(expected_of("all_reduce reduction=avg").front(), (std::vector{5.5, 11., 16.5, 22.}));
  EXPECT_EQ(expected_of("all_reduce reduction=max").front(), (std::vector{10., 20., 30., 40.}));
  EXPECT_EQ(expected_of("reduce_scatter reduction=min"), (Rows{{1, 2}, {3, 4}}));
}

TEST(Collectives, InPlaceTheGatheredPartLiesWhereItBelongs) {
  EXPECT_EQ(expected_of("all_gather in_place=true", {{1, 2, 0, 0}, {0, 0, 3, 4}}),
            (Rows{{1, 2, 3, 4}, {1, 2, 3, 4}}));
  EXPECT_EQ(inputs_of("all_gather"), (std::vector<std::pair<std::int64_t, int>>{{2, 0}, {2, 1}}));
  EXPECT_EQ(inputs_of("all_gather in_place=true"),
            (std::vector<std::pair<std::int64_t, int>>{{4, 0}, {4, 1}}));
}

/// A block of 24 bytes: pieces of three elements, across the ranks' parts of four.
constexpr std::int64_t kSmallBlock = 24;

struct Vectors {
  Tensors inputs;
  Case subject;
  Tensors expected() const {
    return find_definition(subject.op)->reference(Problem(subject), inputs).all;
  }
  Tensors compared(const Tensors& results) const {
    return find_definition(subject.op)->comparable(Problem(subject), inputs, results);
  }
};

/// Inputs 1, 2, 3, … of as many ranks as the op has inputs.
Vectors vectors_of(const std::string& text, const std::string& dtype) {
  Vectors vectors{{}, case_of(text + " elements=8 ranks=2 dtype=" + dtype)};
  double next = 1;
  for (const InputSpec& input :
       find_definition(vectors.subject.op)->inputs(Problem(vectors.subject))) {
    const double end = next + double(input.shape[0]);
    vectors.inputs.push_back(at::arange(next, end, scalar_type(input.dtype)));
    next = end;
  }
  return vectors;
}

const std::vector<std::string> kOfVectors{"all_reduce",
                                          "all_reduce reduction=avg",
                                          "all_reduce reduction=max",
                                          "all_gather",
                                          "all_gather in_place=true",
                                          "reduce_scatter",
                                          "reduce_scatter reduction=min",
                                          "all_to_all",
                                          "broadcast",
                                          "peer_copy",
                                          "send_recv"};

/// The whole results of all ranks, one after the other, and so for pieces.
at::Tensor all_of(const Tensors& tensors) { return at::cat(tensors).to(at::kDouble); }

TEST(Collectives, InPiecesTheyAreWhatTheyAreAtOnceAndAreComparedPieceByPiece) {
  for (const std::string& text : kOfVectors)
    for (const char* dtype : {"float32", "bfloat16"}) {
      SCOPED_TRACE(text + ' ' + dtype);
      const Vectors vectors = vectors_of(text, dtype);
      const Tensors whole = vectors.expected();
      Tensors results;  // as a launch would give them
      for (const at::Tensor& of_rank : whole)
        results.push_back(of_rank.to(scalar_type(Problem(vectors.subject).dtype())));
      const BlockLimit limit(kSmallBlock);
      const Tensors pieces = vectors.expected();
      EXPECT_GT(pieces.size(), whole.size());
      EXPECT_TRUE(at::equal(all_of(pieces), all_of(whole)));
      // A wrong last element of the last rank is one of the last piece, and of no other.
      results.back() = results.back().clone();
      results.back()[-1] += 100;
      const Tensors compared = vectors.compared(results);
      ASSERT_EQ(compared.size(), pieces.size());
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        EXPECT_LE(pieces[i].size(0), 3);
        EXPECT_EQ(at::equal(compared[i].to(at::kDouble), pieces[i].to(at::kDouble)),
                  i + 1 < pieces.size())
            << i;
      }
    }
}

TEST(Collectives, ExpectedResultsStayWhenALaunchChangesTheInputs) {
  for (const std::string& text : kOfVectors)
    for (const char* dtype : {"float32", "float64"})
      for (const std::int64_t bytes : {kSmallBlock, kBlockBytes}) {
        SCOPED_TRACE(text + ' ' + dtype);
        const BlockLimit limit(bytes);
        const Vectors vectors = vectors_of(text, dtype);
        const Tensors expected = vectors.expected();
        const at::Tensor before = all_of(expected).clone();
        for (const at::Tensor& input : vectors.inputs) input.fill_(-1);
        EXPECT_TRUE(at::equal(all_of(expected), before));
      }
}

/// Counts the memory that LibTorch's CPU allocator holds on this thread.
class Held final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t,
                         c10::Device) override {
    now += bytes;
    most = std::max(most, now);
  }
  bool memoryProfilingEnabled() const override { return true; }
  std::int64_t now = 0, most = 0;
};

TEST(Collectives, AReferenceHoldsItsResultsAndAHandfulOfBlocks) {
  constexpr std::int64_t kElements = 1 << 20, kBlock = 64 << 10, kHandful = 10;
  for (const std::string& text : kOfVectors) {
    SCOPED_TRACE(text);
    Vectors vectors{{},
                    case_of(text + " ranks=2 dtype=float32 elements=" + std::to_string(kElements))};
    for (const InputSpec& input :
         find_definition(vectors.subject.op)->inputs(Problem(vectors.subject)))
      vectors.inputs.push_back(at::arange(input.shape[0], at::kFloat));
    const BlockLimit limit(kBlock);
    const auto held = std::make_shared<Held>();
    Tensors expected;
    {
      const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, held);
      expected = vectors.expected();
    }
    std::int64_t kept = 0;
    std::set<const void*> counted;  // ranks may share a result
    for (const at::Tensor& piece : expected)
      if (counted.insert(piece.const_data_ptr()).second) kept += std::int64_t(piece.nbytes());
    EXPECT_LE(held->most - kept, kHandful * kBlock);
    EXPECT_LE(kept, 2 * 8 * kElements);
  }
}

TEST(Collectives, OnlyInPlaceALaunchChangesItsInputs) {
  for (const char* op : {"all_reduce", "reduce_scatter", "all_gather"})
    for (const bool is_in_place : {false, true}) {
      const Case subject = case_of(std::string(op) + " elements=4 ranks=2 dtype=float32 in_place=" +
                                   (is_in_place ? "true" : "false"));
      EXPECT_EQ(find_definition(op)->mutates(Problem(subject)), is_in_place) << op;
    }
}

}  // namespace
}  // namespace plumbline
