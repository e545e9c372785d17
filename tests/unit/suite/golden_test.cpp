/// Suites in tests/golden/suite: good/ has the cases that they expand to, bad/ the one-sentence
/// message. UPDATE_GOLDEN=1 writes the expected texts again.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/error.h"
#include "suite/suite.h"
#include "support/places.h"
#include "support/small_catalogue.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = source_dir() / "tests/golden/suite";

SuiteOptions known_schemas() {
  SuiteOptions options;
  for (const char* schema :
       {"aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
        "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        "aten::gelu(Tensor self, *, str approximate='none') -> Tensor",
        "aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, "
        "Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor",
        "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None) -> Tensor",
        "aten::full.out(SymInt[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)",
        "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor",
        "aten::relu(Tensor self) -> Tensor",
        "aten::new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None) -> Tensor",
        "aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
        "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
        "aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)"})
    add_schema(schema, options.schemas);
  return options;
}

std::vector<fs::path> suites_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kFolder / folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// The cases' contents, one line each; all parameters only for the first case of each name.
std::string listing(const Suite& suite) {
  std::ostringstream out;
  out << "suite " << suite.name << "\ndescription " << suite.description << '\n';
  std::string last_name;
  for (const Case& c : suite.cases) {
    out << c.id << '\n';
    if (c.name != std::exchange(last_name, c.name)) {
      out << "  op " << c.op << ", revision " << c.revision << '\n';
      for (const auto& [name, value] : c.params)
        out << "  param " << name << ": " << kind_in_words(value) << ' ' << to_text(value) << '\n';
      if (c.declaration)
        for (const Argument& argument : c.declaration->args)
          out << "  arg " << argument.name << ": " << argument.expression
              << (argument.role == Argument::Role::input
                      ? ""
                      : "  # " + std::string(name_of(argument.role)) + " " + argument.type)
              << '\n';
    }
    for (const std::string& tag : c.tags) out << "  tag " << tag << '\n';
    if (c.threshold) out << "  threshold " << shortest_text(*c.threshold) << '\n';
    if (!c.excluded.empty()) out << "  excluded: " << c.excluded << '\n';
    if (!c.unsupported.empty()) out << "  unsupported: " << c.unsupported << '\n';
  }
  for (const DeviceRule& rule : suite.device_rules) {
    out << (rule.is_limit ? "device limit: " : "device rule: ") << rule.reason
        << (rule.excludes_if ? " if " : " unless ") << rule.condition.text << "; cases";
    for (const std::size_t index : rule.cases) out << ' ' << index;
    out << '\n';
  }
  for (const auto& [from, to] : suite.renames)
    out << "rename " << from << "\n    to " << to << '\n';
  return std::move(out).str();
}

void compare_with_golden(const fs::path& suite, const std::string& found) {
  fs::path golden = suite;
  golden.replace_extension(".expected");
  if (std::getenv("UPDATE_GOLDEN")) std::ofstream(golden) << found;
  std::ifstream in(golden);
  ASSERT_TRUE(in) << golden << " is missing; UPDATE_GOLDEN=1 writes it";
  std::ostringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(found, std::move(expected).str());
}

TEST(GoldenSuites, ExpandToTheExpectedCases) {
  for (const fs::path& path : suites_in("good")) {
    SCOPED_TRACE(path.filename());
    compare_with_golden(path,
                        listing(load_suite(path.string(), small_catalogue(), known_schemas())));
  }
}

TEST(GoldenSuites, WithAMistakeAreRefusedInOneSentenceThatNamesThePlace) {
  std::size_t mistakes = 0;
  for (const fs::path& path : suites_in("bad")) {
    SCOPED_TRACE(path.filename());
    ++mistakes;
    try {
      load_suite(path.string(), small_catalogue(), known_schemas());
      ADD_FAILURE() << "this suite was accepted";
    } catch (const Error& error) {
      std::string message = error.what();
      const std::string prefix = path.parent_path().string() + "/";
      ASSERT_TRUE(message.starts_with(prefix + path.filename().string() + ":")) << message;
      compare_with_golden(path, message.substr(prefix.size()) + "\n");
    }
  }
  EXPECT_GT(mistakes, 100u);
}

}  // namespace
}  // namespace plumbline
