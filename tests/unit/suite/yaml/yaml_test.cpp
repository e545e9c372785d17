#include "suite/yaml/yaml.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "core/error.h"

namespace plumbline {
namespace {

std::string mistake_in_file(const std::string& path) {
  try {
    read_yaml_file(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CoreSchema, TextsThatYaml11TakesForBooleansStayTexts) {
  for (const char* text :
       {"no",  "on",  "yes", "off", "y", "n", "NO", "tRue",  "1_000", "0b1",  "1:30",
        "0o9", "0xg", "1e",  "e5",  ".", "+", "-",  "1.2.3", "2%",    "+0x10"})
    EXPECT_EQ(core_schema_value(text), Value(std::string(text))) << text;
}

TEST(CoreSchema, IntegersAreDecimalUnlessPrefixed) {
  EXPECT_EQ(core_schema_value("010"), Value(std::int64_t{10}));
  EXPECT_EQ(core_schema_value("0o10"), Value(std::int64_t{8}));
  EXPECT_EQ(core_schema_value("0x1F"), Value(std::int64_t{31}));
  EXPECT_EQ(core_schema_value("-7"), Value(std::int64_t{-7}));
  EXPECT_EQ(core_schema_value("+7"), Value(std::int64_t{7}));
  EXPECT_EQ(core_schema_value("9223372036854775807"), Value(INT64_MAX));
  EXPECT_EQ(core_schema_value("-9223372036854775808"), Value(INT64_MIN));
}

TEST(CoreSchema, IntegersBeyond64BitsAreRefused) {
  EXPECT_THROW(core_schema_value("9223372036854775808"), Error);
  EXPECT_THROW(core_schema_value("-9223372036854775809"), Error);
  EXPECT_THROW(core_schema_value("0x10000000000000000"), Error);
}

TEST(CoreSchema, FloatsHaveAPointOrAnExponent) {
  EXPECT_EQ(core_schema_value("1e3"), Value(1000.0));
  EXPECT_EQ(core_schema_value("-.5"), Value(-0.5));
  EXPECT_EQ(core_schema_value("+1.5E-2"), Value(0.015));
  EXPECT_EQ(core_schema_value("2."), Value(2.0));
  EXPECT_EQ(core_schema_value("-.inf"), Value(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(core_schema_value(".INF"), Value(std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(std::isnan(std::get<double>(*core_schema_value(".nan"))));
}

TEST(CoreSchema, BooleansAndNullsAreThoseOfYaml12) {
  EXPECT_EQ(core_schema_value("True"), Value(true));
  EXPECT_EQ(core_schema_value("FALSE"), Value(false));
  for (const char* text : {"", "~", "null", "Null", "NULL"})
    EXPECT_FALSE(core_schema_value(text)) << text;
}

TEST(Yaml, EveryNodeKnowsItsPlace) {
  const YamlFile file{"f", "a:\n  - x\n  - {b: 1}\n", true};
  const YamlPtr root = parse_yaml(file);
  const YamlEntry& a = root->entries.at(0);
  EXPECT_EQ(a.at.line, 1u);
  const YamlNode& map = *a.value->items.at(1);
  EXPECT_EQ(map.at.line, 3u);
  EXPECT_EQ(map.at.column, 5u);
  EXPECT_EQ(map.entries.at(0).value->at.column, 9u);
}

TEST(Yaml, AQuotedNumberIsAText) {
  const YamlFile file{"f", "[\"8\", '8', 8, !!str 8]", true};
  const YamlPtr root = parse_yaml(file);
  for (const std::size_t i : {0u, 1u, 3u})
    EXPECT_EQ(root->items.at(i)->value, Value(std::string("8"))) << i;
  EXPECT_EQ(root->items.at(2)->value, Value(std::int64_t{8}));
}

TEST(Yaml, AnAliasSharesWhatItsAnchorNames) {
  const YamlFile file{"f", "a: &x {n: 1}\nb: *x\n", true};
  const YamlPtr root = parse_yaml(file);
  EXPECT_EQ(root->entries.at(0).value, root->entries.at(1).value);
}

TEST(Yaml, ColumnsAreCountedInCharactersNotBytes) {
  const YamlFile file{"f", "a: 1\ngröße: straße # ö\n", true};
  const YamlPlace at = parse_yaml(file)->entries.at(1).value->at;
  EXPECT_EQ(at.column, 8u);
  EXPECT_EQ(rest_of_line(at), "straße # ö");
}

TEST(Yaml, AFolderAMissingFileAndAnEmptyFileAreNamedAsSuch) {
  const std::string folder = testing::TempDir();
  EXPECT_NE(mistake_in_file(folder).find("found a folder"), std::string::npos);
  EXPECT_EQ(mistake_in_file("/nowhere/x.yaml"),
            "/nowhere/x.yaml: cannot be opened: No such file or directory");
  EXPECT_EQ(mistake_in_file("/dev/null"), "/dev/null: the file is empty");
}

TEST(Yaml, WhatHasNoEndIsRefusedBeforeItIsRead) {
  const std::string path = testing::TempDir() + "pipe" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(mistake_in_file(path),
            path +
                ": found a pipe; expected a file, or what a command prints: <(command), "
                "/dev/stdin");
  std::filesystem::remove(path);
  EXPECT_NE(mistake_in_file("/dev/zero").find("/dev/zero: found a device"), std::string::npos);
}

TEST(Yaml, AHundredThousandOpenBracketsAreRefusedNotCrashed) {
  const YamlFile file{"f", "a: " + std::string(100'000, '['), true};
  EXPECT_THROW(parse_yaml(file), Error);
}

}  // namespace
}  // namespace plumbline
