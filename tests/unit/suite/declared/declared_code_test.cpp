/// Kernels, plug-ins and Python functions that suites declare: what belongs to their problem, and
/// which files they name.

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/run/case.h"
#include "suite/suite.h"
#include "support/small_catalogue.h"
#include "support/source_folder.h"

namespace plumbline {
namespace {

struct Parts {
  std::string op = "op: kernel, source: code/k.cu, entry: k";
  std::string launch = "launch: {grid: n, block: 64}";
  std::string args = "x: 'randn[n]', y: {output: [n]}, n: {int32: n}";
  std::string more = "reference: 'aten::mul(x, 2)'";
};

class DeclaredCode : public testing::Test {
 protected:
  DeclaredCode() {
    folder_.write("code/k.cu", "one");
    folder_.write("code/other.cu", "two");
    folder_.write("libp.so", "three");
    folder_.write("code/k.py", "four");
    folder_.write("net.pt", "five");
    folder_.write("net.pt2", "six");
  }

  Suite load(const Parts& parts) const {
    return load_suite(
        folder_.write("s.yaml", "suite: s\nbenchmarks:\n  - {name: b, " + parts.op + ", " +
                                    parts.launch + ", args: {" + parts.args + "}, " + parts.more +
                                    ", sweep: {n: 8, dtype: float32}}\n"),
        small_catalogue(), {});
  }

  std::string revision(const Parts& parts) const { return load(parts).cases.at(0).revision; }

  SourceFolder folder_;
};

TEST_F(DeclaredCode, TheRevisionIsTheProblemsNotTheCodes) {
  const std::string plain = revision({});
  EXPECT_EQ(plain, revision({.op = "op: kernel, source: code/other.cu, entry: ours::k, "
                                   "template: [dtype], defines: {A: 1}, options: [-G]"}));
  EXPECT_EQ(plain, revision({.launch = "launch: {grid: [n, 2], block: 32, shared: 64}"}));
  EXPECT_EQ(plain, revision({.args = "x: 'randn[n]', y: {output: [n]}, m: {int64: 2 * n}, "
                                     "room: {scratch: [n]}"}));
  EXPECT_EQ(plain, revision({.op = "op: plugin, library: libp.so, function: k",
                             .launch = "tags: a",
                             .args = "x: 'randn[n]', y: {output: [n]}"}));
  EXPECT_EQ(plain, revision({.op = "op: python, source: code/k.py, function: k",
                             .launch = "tags: a",
                             .args = "x: 'randn[n]', y: {output: [n]}"}));
  folder_.write("code/k.cu", "edited");
  EXPECT_EQ(plain, revision({}));
}

TEST_F(DeclaredCode, AnotherProblemIsAnotherRevision) {
  const std::string plain = revision({});
  EXPECT_NE(plain, revision({.args = "x: 'rand[n]', y: {output: [n]}"}));
  EXPECT_NE(plain, revision({.args = "x: 'randn[n]', y: {output: [n, 1]}"}));
  EXPECT_NE(plain, revision({.args = "x: 'randn[n]', y: {output: [n], dtype: float64}"}));
  EXPECT_NE(plain, revision({.more = "reference: 'aten::mul(x, 3)'"}));
  EXPECT_NE(plain, revision({.more = "cost: {bytes: 8 * n}, reference: 'aten::mul(x, 2)'"}));
  EXPECT_NE(plain, revision({.more = "tolerance: 0.1, reference: 'aten::mul(x, 2)'"}));
  const auto by_function = [&](const std::string& name) {
    return revision({.op = "op: python, source: code/k.py, function: k",
                     .launch = "tags: a",
                     .args = "x: 'randn[n]'",
                     .more = "reference_function: " + name});
  };
  EXPECT_NE(by_function("one"), by_function("other"));
}

/// A network's arguments are the problem; its loss and its training for the accuracy are code.
TEST_F(DeclaredCode, OfANetworkTheFactorysArgumentsAreTheProblem) {
  const auto network = [&](const std::string& more) {
    return revision({.op = "op: module, source: code/k.py, function: k",
                     .launch = "tags: a",
                     .args = "x: 'randn[n]'",
                     .more = more});
  };
  const std::string plain = network("with: {width: 2 * n}");
  EXPECT_EQ(plain, network("with: {width: 2 * n}, loss: other"));
  EXPECT_EQ(plain, network("with: {width: 2 * n}, accuracy: task"));
  EXPECT_NE(plain, network("with: {width: 3 * n}"));
  EXPECT_NE(plain, network("loss: other"));
}

TEST_F(DeclaredCode, ANetworkHasTechniquesAtTheirDefaults) {
  const Suite suite = load({.op = "op: module, source: code/k.py, function: k",
                            .launch = "tags: a",
                            .args = "x: 'randn[n]'"});
  const Params& params = suite.cases.at(0).params;
  EXPECT_EQ(std::get<std::string>(params.at("step")), "inference");
  EXPECT_EQ(std::get<std::string>(params.at("precision")), "float32");
  EXPECT_EQ(std::get<std::int64_t>(params.at("accumulate")), 1);
  EXPECT_FALSE(params.contains("library.attention")) << "sdpa is its name here";
  EXPECT_EQ(suite.cases.at(0).id, "b/custom/dtype=float32/n=8") << "defaults are left out";
}

TEST_F(DeclaredCode, ANetworkInAFileHasNoFunction) {
  const auto saved = [&](const std::string& source, const std::string& more) {
    return load({.op = "op: module, source: " + source,
                 .launch = "tags: a",
                 .args = "x: 'randn[n]'",
                 .more = more});
  };
  const Suite suite = saved("net.pt2", "reference_source: net.pt");
  const Declaration& declaration = *suite.cases.at(0).declaration;
  ASSERT_TRUE(declaration.network);
  EXPECT_FALSE(declaration.python) << "its worker needs no Python";
  EXPECT_EQ(declaration.network->source, folder_.path("net.pt2"));
  EXPECT_EQ(declaration.network->reference, folder_.path("net.pt"));
  EXPECT_EQ(suite.cases.at(0).backend, "custom");
  EXPECT_EQ(suite.sources.at(0).hash, stable_hash_text("six"));
  const auto message = [&](const std::string& source, const std::string& more) {
    try {
      saved(source, more);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message("net.pt", "function: k").find("found 'function' beside a network in a file"),
            std::string::npos);
  EXPECT_NE(message("net.pt", "serve: {requests: 100}").find("found 'serve'"), std::string::npos);
  EXPECT_NE(message("net.pt2", "reference_source: net.pt2").find("is TorchScript, a file .pt"),
            std::string::npos);
  EXPECT_NE(message("net.pt2", "reference_source: net.pt, reference: x").find("one of them"),
            std::string::npos);
  EXPECT_NE(message("code/k.py, function: k", "reference_source: net.pt")
                .find("beside a source in Python"),
            std::string::npos);
}

TEST_F(DeclaredCode, FilesOfCodeAreRecordedWithTheirHash) {
  const Suite before = load({});
  ASSERT_EQ(before.sources.size(), 1u);
  EXPECT_EQ(before.sources[0].path, folder_.path("code/k.cu"));
  EXPECT_EQ(before.sources[0].hash, stable_hash_text("one"));
  folder_.write("code/k.cu", "edited");
  EXPECT_EQ(load({}).sources[0].hash, stable_hash_text("edited"));
  const Suite plugged = load({.op = "op: plugin, library: libp.so, function: k",
                              .launch = "tags: a",
                              .args = "x: 'randn[n]', y: {output: [n]}"});
  EXPECT_EQ(plugged.sources.at(0).path, folder_.path("libp.so"));
  const Suite in_python = load({.op = "op: python, source: code/k.py, function: k",
                                .launch = "tags: a",
                                .args = "x: 'randn[n]'"});
  EXPECT_EQ(in_python.sources.at(0).hash, stable_hash_text("four"));
}

TEST_F(DeclaredCode, ArgumentsKeepTheirOrderRolesAndTypes) {
  const Suite suite = load({.args = "n: {int32: n}, y: {output: [n], dtype: int8}, "
                                    "x: 'randn[n]', z: {inout: 'zeros[n]'}, t: {scratch: [n]}"});
  const std::vector<Argument> expected{{"n", "n", Argument::Role::scalar, "int32"},
                                       {"y", "[n]", Argument::Role::output, "int8"},
                                       {"x", "randn[n]", Argument::Role::input, ""},
                                       {"z", "zeros[n]", Argument::Role::inout, ""},
                                       {"t", "[n]", Argument::Role::scratch, ""}};
  EXPECT_EQ(suite.cases.at(0).declaration->args, expected);
}

TEST_F(DeclaredCode, AScalarMayFollowADtype) {
  const Suite suite = load({.args = "x: 'randn[n]', y: {output: [n]}, a: {scalar: 2}, "
                                    "b: {scalar: 2, dtype: dtype}, c: {scalar: 2, dtype: int8}, "
                                    "d: {bfloat16: 0.5}"});
  std::vector<std::string> types;
  for (const Argument& argument : suite.cases.at(0).declaration->args)
    if (argument.role == Argument::Role::scalar) types.push_back(argument.type);
  EXPECT_EQ(types, (std::vector<std::string>{"", "dtype", "int8", "bfloat16"}));
}

}  // namespace
}  // namespace plumbline
