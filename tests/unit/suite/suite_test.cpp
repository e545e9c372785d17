#include "suite/suite.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/written_suite.h"

namespace plumbline {
namespace {

const std::string kSoftmax =
    "suite: s\n"
    "shapes: {small: [{rows: 8, cols: 8}], large: [{rows: 4096, cols: 4096}]}\n"
    "benchmarks:\n"
    "  - op: softmax\n"
    "    sweep: {shape: $small, dtype: [float32, float16]}\n";

const std::string kGemm =
    "suite: s\n"
    "benchmarks:\n"
    "  - op: gemm\n"
    "    sweep: {m: [8, 16], n: 8, k: 8, dtype: float32}\n";

std::vector<std::string> ids(const Suite& suite) {
  std::vector<std::string> all;
  for (const Case& c : suite.cases) all.push_back(c.id);
  return all;
}

std::vector<std::string> ids_with(const std::string& text, const std::string& axis,
                                  const std::string& values) {
  SuiteOptions options;
  options.set = {{axis, values}};
  return ids(WrittenSuite(text).load(options));
}

std::string mistake_with(const std::string& text, const std::string& axis,
                         const std::string& values) {
  SuiteOptions options;
  options.set = {{axis, values}};
  return WrittenSuite(text).mistake(options);
}

using Ids = std::vector<std::string>;

TEST(LoadSuite, CarriesNamePathAndTheHashOfTheText) {
  const WrittenSuite file(kGemm);
  const Suite suite = file.load();
  EXPECT_EQ(suite.name, "s");
  EXPECT_EQ(suite.path, file.path());
  EXPECT_EQ(suite.hash, stable_hash_text(kGemm));
  EXPECT_EQ(suite.cases.at(0).suite, "s");
}

TEST(LoadSuite, CasesOfABenchmarkShareItsPolicyAndDeclaration) {
  const Suite suite = WrittenSuite(
                          "suite: s\nbenchmarks:\n  - {op: aten::relu, args: {self: 'randn[n]'}, "
                          "sweep: {n: [1, 2], dtype: float32}}\n")
                          .load();
  EXPECT_EQ(suite.cases.at(0).policy, suite.cases.at(1).policy);
  EXPECT_EQ(suite.cases.at(0).declaration, suite.cases.at(1).declaration);
  EXPECT_NE(suite.cases.at(0).declaration, nullptr);
}

TEST(LoadSuite, AFlagThatContradictsTheSuiteIsWhatIsTold) {
  SuiteOptions options;
  options.policy_overrides = {{"rounds", "2"}, {"blocks_min", "64"}};
  const std::string mistake = WrittenSuite("suite: s\nmeasure: {blocks_max: 8}\nbenchmarks:\n" +
                                           kGemm.substr(kGemm.find("  - op")))
                                  .mistake(options);
  EXPECT_NE(mistake.find("--blocks-min 64: blocks_min (64) is above blocks_max (8) in the "
                         "benchmark at "),
            std::string::npos)
      << mistake;
}

/// A softmax; the host's clock times it if the input is transposed.
Suite partly_host_timed(const std::string& axes) {
  const WrittenSuite file(
      "suite: s\nmeasure: {metrics: [gpu_time, host_time, memory]}\nbenchmarks:\n"
      "  - {op: softmax, sweep: {rows: 8, cols: 8, dtype: float32, " +
      axes + "}}\n");
  Catalogue catalogue = small_catalogue();
  catalogue.at(0).spec.host_timed = "layout == 'transposed'";
  return load_suite(file.path(), catalogue, {});
}

TEST(LoadSuite, WhatTheHostsClockTimesIsAskedForNoOtherMetric) {
  const Suite suite = partly_host_timed("layout: [contiguous, transposed]");
  const std::vector<std::string> asked{"gpu_time", "host_time", "memory"};
  EXPECT_EQ(suite.cases.at(0).policy->metrics, asked);
  EXPECT_TRUE(suite.cases.at(1).policy->metrics.empty());
  EXPECT_EQ(suite.cases.at(1).policy->rounds, suite.cases.at(0).policy->rounds);
}

TEST(LoadSuite, WhatTheHostsClockTimesIsUnsupportedOnStreams) {
  const Suite suite = partly_host_timed("layout: [contiguous, transposed], stream: [{count: 2}]");
  EXPECT_EQ(suite.cases.at(0).unsupported, "");
  EXPECT_EQ(suite.cases.at(1).unsupported,
            "stream.count=2: ops that are timed by the host's clock cannot use streams");
}

TEST(LoadSuite, TheCommandLineBeatsTheBenchmarkWhichBeatsTheSuiteWhichBeatsTheDefaults) {
  const WrittenSuite file(
      "suite: s\n"
      "measure: {rounds: 5, samples: 20, blocks_min: 9}\n"
      "benchmarks:\n"
      "  - {op: softmax, sweep: {rows: 8, cols: 8, dtype: float32}, "
      "measure: {samples: 30, blocks_min: 10}}\n"
      "  - {op: softmax, sweep: {rows: 9, cols: 8, dtype: float32}}\n");
  SuiteOptions options;
  options.policy_defaults.rounds = 2;
  options.policy_defaults.warmup_s = 1;
  options.policy_overrides = {{"blocks_min", "11"}, {"cache", "hot,cold"}};
  const Suite suite = file.load(options);
  const Policy& first = *suite.cases.at(0).policy;
  EXPECT_EQ(first.warmup_s, 1);
  EXPECT_EQ(first.rounds, 5);
  EXPECT_EQ(first.samples, 30);
  EXPECT_EQ(first.blocks_min, 11);
  EXPECT_EQ(first.cache, (Ids{"hot", "cold"}));
  EXPECT_EQ(suite.cases.at(1).policy->samples, 20);
}

TEST(LoadSuite, AMistakeInACommandLineOptionNamesItsFlag) {
  SuiteOptions options;
  options.policy_overrides = {{"blocks_min", "many"}};
  EXPECT_EQ(WrittenSuite(kGemm).mistake(options),
            "--blocks-min: found the text 'many'; 'blocks_min' is an integer from 2 to 4096");
  options.policy_overrides = {{"rounds", ""}};
  EXPECT_EQ(WrittenSuite(kGemm).mistake(options),
            "--rounds: found an empty list; 'rounds' is an integer from 1 to 1000");
}

TEST(LoadSuite, TheRevisionOfACatalogueOpIsItsNumber) {
  EXPECT_EQ(WrittenSuite(kSoftmax).load().cases.at(0).revision, "3");
}

std::string revision(const std::string& benchmark) {
  return WrittenSuite("suite: s\nbenchmarks:\n  - {op: aten::relu, " + benchmark + "}\n")
      .load()
      .cases.at(0)
      .revision;
}

TEST(LoadSuite, TheRevisionOfADeclaredOpFollowsTheProblemNotTheSweep) {
  const std::string sweep = "sweep: {n: 8, dtype: float32}";
  const std::string plain = revision("args: {self: 'randn[n]'}, " + sweep);
  EXPECT_EQ(plain, revision("args: {self: 'randn[n]'}, tags: a, sweep: {n: [4, 2], dtype: int8}"));
  EXPECT_NE(plain, revision("args: {self: 'rand[n]'}, " + sweep));
  EXPECT_NE(plain, revision("args: {self: 'randn[n]'}, tolerance: 0.1, " + sweep));
  EXPECT_NE(plain, revision("args: {self: 'randn[n]'}, cost: {flops: n}, " + sweep));
  EXPECT_NE(plain, revision("args: {self: 'randn[n]'}, reference: self, " + sweep));
  EXPECT_EQ(plain.size(), 16u);
}

TEST(SetAxis, ReplacesTheValuesOfAnAxis) {
  EXPECT_EQ(ids_with(kGemm, "m", "32,64"), (Ids{"gemm/libtorch/dtype=float32/k=8/m=32/n=8",
                                                "gemm/libtorch/dtype=float32/k=8/m=64/n=8"}));
  EXPECT_EQ(ids_with(kGemm, "m", "{pow2: [5, 6]}"), ids_with(kGemm, "m", "32,64"));
}

TEST(SetAxis, TakesNamedShapes) {
  EXPECT_EQ(ids_with(kSoftmax, "shape", "$large").at(0),
            "softmax/libtorch/cols=4096/dtype=float32/rows=4096");
}

TEST(SetAxis, AddsAParameterThatStandsAtItsDefault) {
  EXPECT_EQ(ids_with(kGemm, "stream.count", "2").at(0),
            "gemm/libtorch/dtype=float32/k=8/m=8/n=8/stream.count=2");
}

TEST(SetAxis, ReplacesBackends) {
  const Ids found = ids_with(kGemm, "backend", "custom");
  EXPECT_EQ(found.at(0), "gemm/custom/dtype=float32/k=8/m=8/n=8");
  EXPECT_EQ(found.size(), 2u);
}

TEST(SetAxis, RefusesWhatNoBenchmarkHas) {
  EXPECT_EQ(mistake_with(kGemm, "dtpe", "float32"),
            "--set dtpe: no benchmark of FILE has an axis 'dtpe'; did you mean 'dtype'?");
}

TEST(SetAxis, OneOfSeveralSuitesMayLackTheAxis) {
  SuiteOptions options;
  options.set = {{"m", "8"}};
  std::vector<Suite> suites;
  for (const std::string& text : {kGemm, kSoftmax})
    suites.push_back(WrittenSuite(text).load(options));
  EXPECT_EQ(suites[0].unused_axes, Ids{});
  EXPECT_EQ(suites[1].unused_axes, Ids{"m"});
  EXPECT_NO_THROW(check_axes_used(suites, options));
  EXPECT_THROW(check_axes_used({&suites[1], 1}, options), Error);
}

TEST(SetAxis, WhatNoneOfSeveralSuitesHasIsRefusedWithTheNearestAxisOfAny) {
  SuiteOptions options;
  options.set = {{"shap", "8"}};
  std::vector<Suite> suites;
  for (const std::string& text : {kGemm, kSoftmax})
    suites.push_back(WrittenSuite(text).load(options));
  suites[0].path = "a.yaml";
  suites[1].path = "b.yaml";
  try {
    check_axes_used(suites, options);
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "--set shap: no benchmark of a.yaml, b.yaml has an axis 'shap'; did you mean "
                 "'shape'?");
  }
}

TEST(SetAxis, RefusesAParameterThatRowsTieToOthers) {
  EXPECT_EQ(mistake_with(kSoftmax, "rows", "3"),
            "--set rows=3: 'rows' is set by the rows of axis 'shape'; replace that axis, for "
            "example --set shape=$name");
}

TEST(SetAxis, RefusesBadValuesLikeTheFileDoes) {
  EXPECT_EQ(mistake_with(kGemm, "m", "8,many"),
            "--set m=8,many: found the text 'many'; parameter 'm' of gemm is an integer of at "
            "least 1");
  EXPECT_EQ(mistake_with(kGemm, "m", ""),
            "--set m=: found an empty list; axis 'm' needs at least one value");
  EXPECT_NE(mistake_with(kGemm, "m", "[8").find("--set m=[8: "), std::string::npos);
}

TEST(SetAxis, LeavesRenamesOfOtherCasesAlone) {
  const std::string renamed =
      kGemm + "renames: {gemm/libtorch/m=8: gemm/libtorch/dtype=float32/k=8/m=8/n=8}\n";
  EXPECT_EQ(ids_with(renamed, "m", "32").size(), 1u);
}

const std::string kDevice =
    "suite: s\n"
    "benchmarks:\n"
    "  - op: softmax\n"
    "    where: {device.memory: \">= 40 GiB\"}\n"
    "    sweep: {rows: 8, cols: 8, dtype: float32}\n"
    "  - op: gemm\n"
    "    sweep: {m: [8, 4096], n: 8, k: 8, dtype: float32}\n"
    "    exclude:\n"
    "      - {where: \"device.kind == 'cpu' and m > 1000\", reason: too slow}\n"
    "      - {where: {device.model: \"*H200*\", m: 8}, reason: wrong there}\n";

Ids reasons(const Params& device) {
  Suite suite = WrittenSuite(kDevice).load();
  for (const Case& c : suite.cases) EXPECT_EQ(c.excluded, "");
  apply_device_conditions(suite, device);
  Ids all;
  for (const Case& c : suite.cases) all.push_back(c.excluded);
  return all;
}

Params device(const std::string& kind, std::int64_t gib, const std::string& model) {
  return {{"device.kind", kind},
          {"device.memory", gib << 30},
          {"device.model", model},
          {"device.units", std::int64_t{2}}};
}

TEST(DeviceConditions, ExcludeOnceTheDeviceIsKnown) {
  EXPECT_EQ(reasons(device("cpu", 40, "Xeon")), (Ids{"", "", "too slow"}));
  EXPECT_EQ(reasons(device("cuda", 39, "NVIDIA H200")),
            (Ids{"only where device.memory: >= 40 GiB", "wrong there", ""}));
  EXPECT_EQ(reasons(device("cuda", 80, "NVIDIA H100")), (Ids{"", "", ""}));
}

TEST(DeviceConditions, AFactThatIsMissingIsAnErrorNotANo) {
  Suite suite = WrittenSuite(kDevice).load();
  EXPECT_THROW(apply_device_conditions(suite, {{"device.kind", "cpu"}}), Error);
}

TEST(ExpectedFailures, AreOfTheCasesThatTheirConditionFitsOnTheDevice) {
  const std::string text =
      "suite: s\nbenchmarks:\n"
      "  - op: gemm\n"
      "    sweep: {m: [8, 16, 32], n: 8, k: 8, dtype: [float32, float16]}\n"
      "    exclude: [{where: {m: 32, dtype: float16}, reason: too slow}]\n"
      "    expect:\n"
      "      - {where: {dtype: float16, m: \">= 16\"}, status: WRONG, reason: it rounds}\n"
      "      - {where: {device.kind: cuda, m: 8}, status: CRASHED, reason: \"it \\\"falls\\\"\"}\n";
  const WrittenSuite written(text);
  Suite suite = written.load();
  const auto expected_on = [&](const char* kind) {
    std::vector<std::string> lines;
    for (const ExpectedFailure& found : expected_failures(suite, {{"device.kind", kind}}))
      lines.push_back(found.suite + " " + found.case_id + " " + std::string(name_of(found.status)) +
                      " " + found.reason + " " + found.at.substr(found.at.rfind(':')));
    return lines;
  };
  const std::string wrong = "s gemm/libtorch/dtype=float16/k=8/m=16/n=8 WRONG it rounds :7";
  EXPECT_EQ(expected_on("cpu"), Ids{wrong});
  EXPECT_EQ(expected_on("cuda"),
            (Ids{wrong, "s gemm/libtorch/dtype=float32/k=8/m=8/n=8 CRASHED it \"falls\" :8",
                 "s gemm/libtorch/dtype=float16/k=8/m=8/n=8 CRASHED it \"falls\" :8"}));
  EXPECT_EQ(suite.expectations[0].at, written.path() + ":7");
  EXPECT_THROW(expected_failures(suite, {}), Error);
}

TEST(Exclusions, OfEveryCaseAreLegal) {
  const Suite suite =
      WrittenSuite(kGemm + "    exclude: [{where: {dtype: float32}, reason: none left}]\n").load();
  EXPECT_TRUE(
      std::ranges::all_of(suite.cases, [](const Case& c) { return c.excluded == "none left"; }));
  EXPECT_EQ(suite.cases.size(), 2u);
}

TEST(LoadSuite, AHundredThousandCasesComeInTheOrderOfTheirAxesTheLastOneFastest) {
  const Suite suite = WrittenSuite(
                          "suite: s\nbenchmarks:\n  - {op: aten::relu, args: {self: 'randn[a]'}, "
                          "sweep: {b: {from: 1, to: 1000}, a: {from: 1, to: 100}, dtype: int8}}\n")
                          .load();
  ASSERT_EQ(suite.cases.size(), 100'000u);
  EXPECT_EQ(suite.cases.at(0).id, "aten::relu/libtorch/a=1/b=1/dtype=int8");
  EXPECT_EQ(suite.cases.at(1).id, "aten::relu/libtorch/a=2/b=1/dtype=int8");
  EXPECT_EQ(suite.cases.back().id, "aten::relu/libtorch/a=100/b=1000/dtype=int8");
}

}  // namespace
}  // namespace plumbline
