#include "import/import_mapping_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.h"
#include "support/places.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

constexpr std::string_view kSmallest =
    "suite: s\nop: gemm\nbackend: b\nmetrics: {t: {column: ms, unit: ms}}\n";

class MappingFile : public testing::Test {
 protected:
  ImportMapping read(const std::string& text) {
    write_file(file_, text);
    return read_import_mapping(file_);
  }
  std::string mistake(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      return std::string(error.what()).substr(folder_.path().size() + 1);
    }
    return "no mistake";
  }

  TemporaryFolder folder_;
  std::string file_ = folder_ / "map.yaml";
};

TEST_F(MappingFile, SaysWhatEachColumnIs) {
  const ImportMapping mapping = read(std::string(kSmallest) +
                                     "params: {m: $m, kind: 'a-${any name}'}\nwhere: m > 3\n"
                                     "environment: {driver: $d}\nrepeats: visits\n"
                                     "tables: {kind2: {of: kind, is: {x: 1, y: true}}}\n");
  EXPECT_EQ(mapping.metrics.at(0).unit, "s");
  EXPECT_DOUBLE_EQ(mapping.metrics.at(0).factor, 1e-3);
  EXPECT_EQ(mapping.params.at(1).second.pattern, "a-${any name}");
  EXPECT_EQ(mapping.params.at(0).second.at, file_ + ":5:13");
  EXPECT_EQ(mapping.environment.at(0).first->name, "driver");
  EXPECT_EQ(mapping.repeats, Repeats::visits);
  EXPECT_EQ(mapping.tables.at("kind2").values.at("y"), "true");
  EXPECT_TRUE(mapping.device.empty());
}

TEST_F(MappingFile, MistakesAreNamedWithTheirPlaceAndWhatIsAllowed) {
  const std::string small(kSmallest);
  EXPECT_EQ(mistake("suite: s\nop: x\nbackend: b\n"), "map.yaml:1:1: a mapping needs 'metrics'");
  EXPECT_EQ(mistake("metric: s\n"),
            "map.yaml:1:1: unknown key 'metric' in a mapping; did you mean 'metrics'?");
  EXPECT_EQ(mistake("suite: s\nop: gemm\nbackend: b\nmetrics: {t: {column: ms, unit: min}}\n")
                .substr(0, 52),
            "map.yaml:4:33: found the unit 'min'; allowed: s, ms,");
  EXPECT_EQ(mistake(small + "device: 'a $'\n"),
            "map.yaml:5:9: found '$'; a column is $name or ${any name}, and a dollar is $$");
  EXPECT_EQ(mistake(small + "environment: {drivers: x}\n"),
            "map.yaml:5:15: 'drivers' is no entry of the environment; did you mean 'driver'?");
  EXPECT_NE(mistake(small + "where: m >\n").find("map.yaml:5:"), std::string::npos);
  EXPECT_NE(mistake(small + "repeats: yes\n").find("samples (further values of one visit)"),
            std::string::npos);
  EXPECT_NE(mistake(small + "params: [a]\n").find("found a list"), std::string::npos);
  EXPECT_EQ(
      mistake(small + "melt: {v: ms}\n"),
      "map.yaml:5:11: found 'ms'; a pattern of 'melt' has one $name, the same in all of them");
  EXPECT_NE(mistake(small + "melt: {v: $a x, w: $b y}\n").find("map.yaml:5:20: "),
            std::string::npos);
  EXPECT_EQ(mistake(small + "rows: a..b\n"),
            "map.yaml:5:7: found 'a..b'; 'rows' is a path such as results.* or $problem.*");
  EXPECT_EQ(mistake(small + "axes: a*\n"),
            "map.yaml:5:7: found 'a*'; 'axes' is * or a path that ends in .*");
  EXPECT_EQ(mistake(small + "delimiter: ab\n"),
            "map.yaml:5:12: found 'ab'; 'delimiter' is one character");
  EXPECT_EQ(mistake(small + "columns: {x: 0}\n"),
            "map.yaml:5:14: found '0'; expected a number from 1");
}

TEST(MappingOfTheCommandLine, IsTheSameAsAFile) {
  const ImportMapping mapping =
      import_mapping_of({"suite=s", "op=gemm", "backend=it's", "params.m=$m", "metrics.t.column=ms",
                         "metrics.t.unit=us", "device=$gpu"});
  EXPECT_EQ(mapping.backend.pattern, "it's");
  EXPECT_EQ(mapping.params.at(0).first, "m");
  EXPECT_DOUBLE_EQ(mapping.metrics.at(0).factor, 1e-6);
  EXPECT_THROW(import_mapping_of({"suite"}), Error);
  EXPECT_THROW(import_mapping_of({"suite=a", "suite=b"}), Error);
  EXPECT_THROW(import_mapping_of({"suite=a", "suite.x=b"}), Error);
}

TEST(MappingsOfThisTree, CanAllBeRead) {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_dir() / "harness/import/mappings"))
    if (entry.path().extension() == ".yaml") {
      EXPECT_FALSE(read_import_mapping(entry.path().string()).source.empty()) << entry.path();
      ++count;
    }
  EXPECT_GE(count, 15U);
}

TEST(APattern, IsFilledFromItsNames) {
  const auto value = [](const std::string& name) { return "<" + name + ">"; };
  EXPECT_EQ(filled("a-$b.c ${d e}$$", value), "a-<b>.c <d e>$");
  EXPECT_EQ(names_in_pattern("$x-${y z}"), (std::vector<std::string>{"x", "y z"}));
}

}  // namespace
}  // namespace plumbline
