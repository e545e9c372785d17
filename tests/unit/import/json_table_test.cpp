/// JSON, JSON lines and wide tables, read by a mapping.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "import/import.h"
#include "import/import_mapping_file.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

const std::vector<std::string> kSmall = {"suite=s", "op=o", "backend=b", "metrics.t.column=ms",
                                         "metrics.t.unit=ms"};

class JsonTable : public testing::Test {
 protected:
  using Reader = Imported (*)(const std::string&, const ImportMapping&, const ImportOptions&);

  Imported read(Reader reader, const std::string& text, std::vector<std::string> more) {
    write_file(file_, text);
    std::vector<std::string> all = kSmall;
    std::erase_if(all, [&](const std::string& one) {
      const std::string key = one.substr(0, one.find('=') + 1);
      return std::ranges::any_of(more, [&](const std::string& m) { return m.starts_with(key); });
    });
    all.insert(all.end(), more.begin(), more.end());
    return reader(file_, import_mapping_of(all), {"A", ""});
  }
  Imported json(const std::string& text, const std::vector<std::string>& more) {
    return read(import_json, text, more);
  }
  std::string mistake(Reader reader, const std::string& text,
                      const std::vector<std::string>& more) {
    try {
      read(reader, text, more);
    } catch (const Error& error) {
      std::string message = error.what();
      for (std::size_t at; (at = message.find(file_)) != std::string::npos;)
        message.replace(at, file_.size(), "FILE");
      return message;
    }
    return "no mistake";
  }
  static std::vector<std::string> ids(const Imported& imported) {
    std::vector<std::string> all;
    for (const ResultRow& row : imported.runs.at(0).rows) all.push_back(row.case_id);
    return all;
  }

  TemporaryFolder folder_;
  std::string file_ = folder_ / "their.json";
};

TEST_F(JsonTable, AListIsItsRowsAndAListOfNumbersIsTheSamplesOfOneVisit) {
  const Imported found = json(R"([{"n": 4, "t": {"ms": [1, 2.5]}}, {"n": 8, "t": {"ms": 3}}])",
                              {"params.n=$n", "metrics.t.column=t.ms", "batch=$n"});
  EXPECT_EQ(ids(found), (std::vector<std::string>{"o/b/n=4", "o/b/n=8"}));
  const std::vector<ResultRow>& rows = found.runs[0].rows;
  ASSERT_EQ(rows[0].samples.values().size(), 2U);
  EXPECT_DOUBLE_EQ(rows[0].samples.values()[1], 0.0025);
  EXPECT_EQ(rows[0].samples.blocks(), 1U);
  EXPECT_EQ(rows[0].batch, 4);
  EXPECT_EQ(rows[1].samples.values().size(), 1U);
}

TEST_F(JsonTable, RowsLieWhereTheMappingSaysAndValuesBesideThemAreNamedFromTheRoot) {
  const Imported found = json(
      R"({"gpu": {"name": "X", "ms": 9}, "results": {"a": [{"ms": 1}, {"ms": 2}], "b": [{"ms": 3}]}})",
      {"rows=results.$kind.$number", "params.kind=$kind", "params.number=$number",
       "params.gpu=${.gpu.name}"});
  EXPECT_EQ(ids(found),
            (std::vector<std::string>{"o/b/gpu=X/kind=a/number=0", "o/b/gpu=X/kind=a/number=1",
                                      "o/b/gpu=X/kind=b/number=0"}));
  EXPECT_DOUBLE_EQ(found.runs[0].rows[2].samples.values()[0], 0.003);
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0], "columns that the mapping does not use: .gpu.ms");
}

TEST_F(JsonTable, EachLineIsADocument) {
  const Imported found =
      read(import_json_lines, "{\"ms\": 1, \"n\": 1}\n\n{\"ms\": 2, \"n\": 2}", {"params.n=$n"});
  EXPECT_EQ(found.runs[0].rows.size(), 2U);
  const std::string text = mistake(import_json_lines, "{\"ms\": 1}\n{\"ms\": ", {});
  EXPECT_TRUE(text.starts_with("FILE: line 2: not valid JSON")) << text;
  EXPECT_EQ(mistake(import_json_lines, "{\"ms\": 1}\n{\"ms\": \"x\"}", {"repeats=visits"}),
            "FILE: line 2: at /ms: found 'x', expected a number, or nothing where there is none");
}

TEST_F(JsonTable, MistakesAreNamedWithTheirPath) {
  EXPECT_EQ(mistake(import_json, R"([{"ms": 1}, {"ms": [1, 0]}])", {"repeats=samples"}),
            "FILE: at /1/ms: found '0', expected a time above 0");
  EXPECT_EQ(mistake(import_json, R"([{"ms": 1, "n": 1}])", {"params.m=$m"}),
            "--map: the column 'm' is not in FILE; did you mean 'ms'?");
  EXPECT_EQ(mistake(import_json, R"({"results": 3})", {"rows=result.*"}),
            "FILE: at /: found an object, expected an object with 'result', as 'rows' at --map "
            "says");
  EXPECT_EQ(mistake(import_json, R"({"results": 3})", {"rows=results.*"}),
            "FILE: at /results: found 3, expected a list or an object, as 'rows' at --map says");
  EXPECT_EQ(mistake(import_json, R"([{"ms": 1, "a.b": 1, "a": {"b": 2}}])", {}),
            "FILE: at /0/a.b: found a second value named 'a.b', after /0/a/b; expected each name "
            "once");
  EXPECT_NE(mistake(import_json, "[]", {}).find("the column 'ms' is not in FILE"),
            std::string::npos);
  const std::string deep = std::string(200, '[') + "{}" + std::string(200, ']');
  EXPECT_NE(mistake(import_json, "[{\"ms\": 1, \"x\": " + deep + "}]", {}).find("nested deeper"),
            std::string::npos);
}

TEST_F(JsonTable, PathsThatMayBeMissingAreTold) {
  const Imported found = json(
      R"([{"ms": 1}])", {"metrics.u.column=us", "metrics.u.unit=us", "environment.driver=$driver"});
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0], "paths of the mapping that no row has: driver, us");
  EXPECT_EQ(found.runs[0].rows.size(), 1U);
}

TEST_F(JsonTable, AStatusThatIsAFailureHasAReasonAndNoTime) {
  const std::vector<std::string> map = {"params.n=$n",
                                        "status=$s",
                                        "reason=says $why",
                                        "tables.s.of=ok",
                                        "tables.s.is.true=UNVERIFIED",
                                        "tables.s.else=WRONG"};
  const Imported found = json(
      R"([{"n": 1, "ms": 1, "ok": true, "why": ""}, {"n": 2, "ms": -1, "ok": false, "why": "nan"}])",
      map);
  const std::vector<ResultRow>& rows = found.runs[0].rows;
  EXPECT_EQ(rows[0].status, Status::unverified);
  EXPECT_EQ(rows[0].reason, "imported: the result was not checked");
  EXPECT_EQ(rows[1].status, Status::wrong);
  EXPECT_EQ(rows[1].reason, "says nan");
  EXPECT_TRUE(rows[1].samples.empty());
  EXPECT_EQ(mistake(import_json, R"([{"ms": 1}])", {"status=OK"}),
            "FILE: at /0: found the status 'OK', which --map makes of it; allowed: UNVERIFIED, "
            "WRONG, UNSUPPORTED, CRASHED, TIMEOUT, OUT_OF_MEMORY");
  EXPECT_EQ(mistake(import_json, R"([{"ms": 1}])", {"batch=0"}),
            "FILE: at /0: found the batch '0', which --map makes of it; expected an integer from "
            "1");
}

TEST_F(JsonTable, AxesAreTheColumnsBelowAPath) {
  const Imported found = json(
      R"([{"ms": 1, "axes": {"m": 4, "n": 8}}, {"ms": 1, "axes": {"k": 2}}])", {"axes=axes.*"});
  EXPECT_EQ(ids(found), (std::vector<std::string>{"o/b/m=4/n=8", "o/b/k=2"}));
  EXPECT_EQ(mistake(import_json, R"([{"ms": 1, "axes": {"m": 4}}])", {"axes=axes.*", "params.m=1"}),
            "--map: the column 'axes.m' of FILE is the parameter 'm', which 'params' has at --map; "
            "leave one of them out");
}

TEST_F(JsonTable, AWideTableBecomesLong) {
  const std::vector<std::string> map = {"melt.value=$who (ms)",
                                        "melt.least=$who-min (ms)",
                                        "backend=$who",
                                        "metrics.t.column=value",
                                        "metrics.least.column=least",
                                        "metrics.least.unit=ms",
                                        "axes=*"};
  const Imported found =
      read(import_csv, "N,a (ms),b (ms),a-min (ms)\n4.000000,1,2,0.5\n8.000000,,3,\n", map);
  EXPECT_EQ(ids(found), (std::vector<std::string>{"o/a/N=4", "o/a/N=4", "o/b/N=4", "o/b/N=4",
                                                  "o/a/N=8", "o/b/N=8", "o/b/N=8"}));
  EXPECT_DOUBLE_EQ(found.runs[0].rows[1].samples.values()[0], 0.0005);
  EXPECT_EQ(found.runs[0].rows[3].status, Status::unsupported);  // b has no least
  EXPECT_EQ(mistake(import_csv, "N,a (us)\n4,1\n", {"melt.ms=$who (ms)"}),
            "--map: no column of FILE fits '$who (ms)'; it has: N, a (us)");
  EXPECT_EQ(mistake(import_csv, "who,a (ms)\n4,1\n", {"melt.ms=$who (ms)"}),
            "--map: 'who' is a column of FILE already; 'melt' needs another name");
  EXPECT_EQ(mistake(import_csv, "N,a (ms)\n4,x\n", {"melt.ms=$who (ms)"}),
            "FILE: row 1 (line 2), column a (ms): found 'x', expected a number, or nothing where "
            "there is none");
}

TEST_F(JsonTable, ACsvMayHaveAnotherDelimiterAndColumnsWithoutUsefulNames) {
  const Imported found =
      read(import_csv, "(M, N);ms\n\"1;2\";3\n", {"delimiter=;", "columns.x=1", "params.x=$x"});
  EXPECT_EQ(ids(found), std::vector<std::string>{"o/b/x=1%3B2"});
  EXPECT_EQ(mistake(import_csv, "ms\n1\n", {"columns.x=2"}),
            "--map: column 2 is not in FILE, which has 1");
  EXPECT_EQ(mistake(import_csv, "n,ms\n1,1\n", {"columns.ms=1"}),
            "--map: column 2 of FILE has the name 'ms' already; give another");
  EXPECT_NE(mistake(import_csv, "ms\n1\n", {"rows=a.*"}).find("'rows', which is for json"),
            std::string::npos);
  EXPECT_NE(mistake(import_json, "[]", {"delimiter=;"}).find("'delimiter', which is for csv"),
            std::string::npos);
}

TEST_F(JsonTable, AnAbsentValueHasItsText) {
  const Imported found = json(R"([{"ms": -1.0}])", {"metrics.t.absent=-1"});
  EXPECT_EQ(found.runs[0].rows[0].status, Status::unsupported);
}

TEST_F(JsonTable, AMeanGivesWayToItsSamples) {
  const std::vector<std::string> map = {"params.n=$n", "metrics.each.column=all",
                                        "metrics.each.unit=ms", "metrics.each.replaces=t"};
  const Imported found =
      json(R"([{"n": 1, "ms": 2, "all": [1, 3]}, {"n": 2, "ms": 5, "all": []}])", map);
  const std::vector<ResultRow>& rows = found.runs[0].rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].metric, "each");
  EXPECT_EQ(rows[1].metric, "t");
  EXPECT_EQ(rows[2].status, Status::unsupported);  // an empty list is no value
  EXPECT_NE(mistake(import_json, "[]", {"metrics.t.replaces=x"}).find("is no other metric"),
            std::string::npos);
}

TEST(AMappingFile, IsCompletedByAssignments) {
  const TemporaryFolder folder;
  const std::string file = folder / "map.yaml";
  write_file(file,
             "suite: s\nop: $op\nbackend: b\nparams: {m: $m}\n"
             "metrics: {t: {column: ms, unit: ms}}\n");
  const ImportMapping mapping =
      read_import_mapping(file, {"op=gemm", "params.n=$n", "metrics.t.unit=us"});
  EXPECT_EQ(mapping.op.pattern, "gemm");
  EXPECT_EQ(mapping.params.size(), 2U);
  EXPECT_DOUBLE_EQ(mapping.metrics.at(0).factor, 1e-6);
  EXPECT_THROW(read_import_mapping(file, {"ops=gemm"}), Error);
}

}  // namespace
}  // namespace plumbline
