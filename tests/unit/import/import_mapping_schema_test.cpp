/// The JSON Schema of mappings and their reader describe the same format; this compares them.

#include "import/import_mapping_schema.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.h"
#include "import/import_mapping_file.h"
#include "support/json_schema.h"
#include "support/places.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

const fs::path kImports = source_dir() / "harness/import/mappings";

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Whether reader and schema accept a text; asks both.
struct Taken {
  bool by_reader = true, by_schema = true;
  bool operator==(const Taken&) const = default;
};
constexpr Taken kTaken{true, true}, kRefused{false, false};

std::ostream& operator<<(std::ostream& out, const Taken& taken) {
  return out << "by the reader " << taken.by_reader << ", by the schema " << taken.by_schema;
}

Taken taken(const std::string& text) {
  static const JsonSchema kSchema(import_mapping_schema_json());
  const TemporaryFolder folder;
  const std::string path = folder / "map.yaml";
  write_file(path, text);
  Taken taken;
  try {
    read_import_mapping(path);
  } catch (const Error&) {
    taken.by_reader = false;
  }
  taken.by_schema = kSchema.mistake(path).empty();
  return taken;
}

TEST(MappingSchema, AcceptsEveryMappingHereAndTheyNameIt) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(kImports)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string text = text_of(entry.path());
    EXPECT_EQ(taken(text), kTaken) << entry.path();
    EXPECT_TRUE(text.starts_with("# yaml-language-server: $schema=./mapping.schema.json\n"))
        << entry.path();
    ++count;
  }
  EXPECT_GE(count, 4U);
}

TEST(MappingSchema, AcceptsTheExampleOfTheReadme) {
  const std::string readme = text_of(kImports / "README.md"), mark = "```yaml\n";
  const std::size_t start = readme.find(mark);
  ASSERT_NE(start, std::string::npos);
  const std::size_t first = start + mark.size();
  EXPECT_EQ(taken(readme.substr(first, readme.find("```", first) - first)), kTaken);
}

constexpr std::string_view kSmallest =
    "suite: s\nop: gemm\nbackend: b\nmetrics: {t: {column: ms, unit: ms}}\n";

TEST(MappingSchema, AcceptsWhatTheReaderTakes) {
  for (const char* more : {
           "",
           "revision: 2\n",
           "params: {m: 1, n: true, k: '${a b}', dollar: $$5}\n",
           "where: mode == 'train'\ncost: {flops: 2, bytes: a * b}\n",
           "tables: {x: {of: y, is: {1: true, N: ''}}}\n",
           "environment: {driver: $d, commit: a $b}\nrepeats: visits\n",
           "rows: results.$kind.*\nstatus: $s\nreason: says $r\nbatch: $n\naxes: a.b.*\n",
           "delimiter: ;\ncolumns: {x: 1}\nmelt: {v: $who (ms), w: $who-min}\naxes: '*'\n",
           "tables: {x: {of: y, is: {1: a}, else: b}}\n",
       })
    EXPECT_EQ(taken(std::string(kSmallest) + more), kTaken) << more;
  EXPECT_EQ(
      taken("suite: s\nop: o\nbackend: b\nmetrics: {t: {column: 1, unit: 1, separator: ;}}\n"),
      kTaken);
  EXPECT_EQ(taken("suite: s\nop: o\nbackend: b\nmetrics: {t: {column: a, unit: s, absent: -1}, u: "
                  "{column: b, unit: s, replaces: t}}\n"),
            kTaken);
}

TEST(MappingSchema, RefusesTheMistakesThatASchemaCanSee) {
  for (const char* more : {
           "suites: s\n",
           "device: ''\n",
           "device: a $\n",
           "device: ${}\n",
           "params: [m]\n",
           "params: {}\n",
           "params: {m: [1]}\n",
           "cost: {flop: 2}\n",
           "tables: {x: {of: y}}\n",
           "tables: {x: {is: {a: b}}}\n",
           "tables: {x: {of: y, is: {}}}\n",
           "environment: {drivers: x}\n",
           "environment: {}\n",
           "repeats: both\n",
           "source: [a]\n",
           "rows: [a]\n",
           "rows: a..b\n",
           "axes: a*\n",
           "axes: a\n",
           "delimiter: ;;\n",
           "delimiter: ''\n",
           "columns: {x: 0}\n",
           "columns: {x: first}\n",
           "columns: {}\n",
           "melt: {}\n",
           "melt: {v: [a]}\n",
           "status: [a]\n",
       })
    EXPECT_EQ(taken(std::string(kSmallest) + more), kRefused) << more;
  for (const char* whole : {
           "op: o\nbackend: b\nmetrics: {t: {column: c, unit: s}}\n",
           "suite: s\nbackend: b\nmetrics: {t: {column: c, unit: s}}\n",
           "suite: s\nop: o\nmetrics: {t: {column: c, unit: s}}\n",
           "suite: s\nop: o\nbackend: b\n",
           "suite: s\nop: o\nbackend: b\nmetrics: {}\n",
           "suite: s\nop: o\nbackend: b\nmetrics: {t: {column: c, unit: min}}\n",
           "suite: s\nop: o\nbackend: b\nmetrics: {t: {unit: s}}\n",
           "suite: s\nop: o\nbackend: b\nmetrics: {t: {column: c}}\n",
           "suite: s\nop: o\nbackend: b\nmetrics: {t: {column: c, unit: s, scale: 2}}\n",
       })
    EXPECT_EQ(taken(whole), kRefused) << whole;
}

TEST(MappingSchema, IsTheOneThatIsShipped) {
  EXPECT_EQ(difference(kImports / "mapping.schema.json", import_mapping_schema_json()), "");
}

}  // namespace
}  // namespace plumbline
