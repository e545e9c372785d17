#include "core/run/case.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(CaseId, SortsKeysAndEscapesWhatWouldSplitIt) {
  const Params shown{
      {"rows", std::int64_t{32}}, {"dtype", "float16"}, {"eps", 1e-5}, {"label", "a/b=c, d%"}};
  EXPECT_EQ(case_id("softmax", "libtorch", shown),
            "softmax/libtorch/dtype=float16/eps=1e-05/label=a%2Fb%3Dc%2C%20d%25/rows=32");
}

TEST(CaseId, PartsAreTheInverse) {
  const Params shown{{"label", "a/b=c;|\t\"é%2F"}, {"n", std::int64_t{-1}}};
  const auto parts = case_id_parts(case_id("aten::exp", "libtorch", shown));
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0], (std::pair<std::string, std::string>{"", "aten::exp"}));
  EXPECT_EQ(parts[2], (std::pair<std::string, std::string>{"label", "a/b=c;|\t\"é%2F"}));
  EXPECT_EQ(parts[3].second, "-1");
}

TEST(CanonicalText, EqualNumbersHaveEqualTexts) {
  EXPECT_EQ(to_text(Value(2.0)), to_text(Value(std::int64_t{2})));
  EXPECT_EQ(to_text(Value(0.1)), "0.1");
  EXPECT_EQ(to_text(Value(1e300)), "1e+300");
  EXPECT_TRUE(same_value(Value(2.0), Value(std::int64_t{2})));
  EXPECT_FALSE(same_value(Value(true), Value(std::int64_t{1})));
  EXPECT_FALSE(same_value(Value("2"), Value(std::int64_t{2})));
}

Case case_with(const std::string& backend, const Params& shown) {
  Case c;
  c.name = "softmax";
  c.backend = backend;
  c.id = case_id(c.name, backend, shown);
  return c;
}

TEST(ProblemSeed, IsSharedByBackendsAndStreamsOfOneProblem) {
  const Params shown{{"rows", std::int64_t{4}}, {"dtype", "float16"}};
  const Case a = case_with("libtorch", shown);
  Params on_streams = shown;
  on_streams["stream.count"] = std::int64_t{4};
  EXPECT_EQ(problem_seed(a, 1), problem_seed(case_with("cudnn", on_streams), 1));
  Params larger = shown;
  larger["rows"] = std::int64_t{5};
  EXPECT_NE(problem_seed(a, 1), problem_seed(case_with("libtorch", larger), 1));
  EXPECT_NE(problem_seed(a, 1), problem_seed(a, 2));
}

TEST(StableHash, IsFnv1a) {
  // Published vectors: http://www.isthe.com/chongo/tech/comp/fnv/ (64 bit FNV-1a).
  EXPECT_EQ(stable_hash(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(stable_hash("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(stable_hash_text("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace plumbline
