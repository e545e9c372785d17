#include "store/redacted/redaction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "core/run/environment.h"
#include "core/run/policy.h"
#include "core/run/result_fields.h"
#include "store/redacted/placeholders.h"
#include "store/redacted/redactor.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

bool has(std::span<const RedactionRow> rows, std::string_view field) {
  return std::ranges::any_of(rows, [&](const RedactionRow& row) {
    return row.field == field || row.field == std::string(field) + ".*";
  });
}

TEST(Redaction, EveryFieldOfEnvironmentAndPolicyHasARow) {
  for (const EnvironmentField& field : environment_fields())
    EXPECT_TRUE(has(run_redactions(), "environment." + std::string(field.name))) << field.name;
  for (const PolicyField& field : policy_fields())
    EXPECT_TRUE(has(run_redactions(), "policy." + std::string(field.name))) << field.name;
}

TEST(Redaction, EveryColumnOfTextHasARow) {
  const auto check = [](const auto& field) {
    using Value = std::remove_cvref_t<decltype(std::declval<ResultRow>().*field.kMember)>;
    constexpr bool is_text =
        std::is_same_v<Value, std::string> || std::is_same_v<Value, std::vector<std::string>>;
    EXPECT_TRUE(!is_text || has(result_redactions(), field.name)) << field.name;
  };
  std::apply([&](const auto&... field) { (check(field), ...); }, kResultFields);
}

TEST(Redaction, AFieldOfANewerPlumblineIsLeftOut) {
  Redactor redactor("tag");
  const Json made = redactor.redacted_comparison(
      {{"format", 1}, {"future", "x"}, {"findings", {{{"case", "c"}, {"later", 3}}}}});
  EXPECT_EQ(made, (Json{{"format", 1}, {"findings", {{{"case", "c"}}}}}));
  EXPECT_EQ(redactor.summary().unknown, (std::set<std::string>{"future", "findings.*.later"}));
}

TEST(Redaction, ChangesOfTheEnvironmentAreHiddenByTheirName) {
  Redactor redactor("tag");
  const auto change = [](const char* name, const char* value) {
    return Json{{"name", name}, {"label", name}, {"kind", "environment"}, {"baseline", value}};
  };
  const Json made = redactor.redacted_comparison(
      {{"environment_changes",
        {change("host", "box"), change("driver", "580.1"), change("LD_PRELOAD", "x.so")}}});
  const Json& changes = made["environment_changes"];
  EXPECT_EQ(changes[0]["baseline"], "host-1-tag");
  EXPECT_EQ(changes[1]["baseline"], "580.1");
  EXPECT_EQ(changes[2]["baseline"], "text-1-tag");
}

TEST(Redaction, AReasonStaysWhereItTellsAnIntervalAlone) {
  Redactor redactor("t");
  const auto shown = [&](const char* reason) {
    const Json made = redactor.redacted_comparison({{"findings", {{{"reason", reason}}}}});
    return made["findings"][0]["reason"].get<std::string>();
  };
  for (const char* reason : {"could be anything from \u22122.1 to +0.6 %",
                             "looks 3.1 % slower (+0.2 to +6 %), but chance alone can show this "
                             "among 40 comparisons",
                             "after 12 pairs it could be anything from \u22120.3 to +0.4 %"})
    EXPECT_EQ(shown(reason), reason);
  EXPECT_EQ(shown("CRASHED: could be anything from 1"), "text-1-t");
  EXPECT_EQ(shown("it could be alice"), "text-2-t");
  EXPECT_EQ(shown("it could be \u0410\u043b\u0438\u0441\u0430"), "text-3-t");
}

TEST(Placeholders, AValueHasOneInItsKind) {
  Placeholders names("t");
  EXPECT_EQ(names.of(Redaction::host, "a"), "host-1-t");
  EXPECT_EQ(names.of(Redaction::host, "b"), "host-2-t");
  EXPECT_EQ(names.of(Redaction::host, "a"), "host-1-t");
  EXPECT_EQ(names.of(Redaction::user, "a"), "user-1-t");
  EXPECT_EQ(names.of(Redaction::user, ""), "");
  EXPECT_EQ(names.of(Redaction::path, "x/kernels/a.cu"), "path-1-t.cu");
  EXPECT_EQ(names.of(Redaction::device, "GPU-1,GPU-2"), "gpu-1-t,gpu-2-t");
  EXPECT_EQ(names.of(Redaction::device, "GPU-2"), "gpu-2-t");
  EXPECT_EQ(names.of(Redaction::device, "cpu of a host"), "device-1-t");
}

TEST(Placeholders, TextsThatAreKeptLoseWhatTheySayByTheWay) {
  Placeholders names("t");
  names.of(Redaction::host, "buildbox");
  names.of(Redaction::path, "/home/alice/x.yaml");
  EXPECT_EQ(names.scrubbed("on buildbox, by alice; not on buildboxes"),
            "on host-1-t, by user-1-t; not on buildboxes");
  EXPECT_EQ(names.scrubbed("reads /srv/data/x and ~/y"), "reads path-2-t and path-3-t");
  EXPECT_EQ(names.scrubbed("file=/srv/data/x"), "file=path-2-t");
  EXPECT_EQ(names.scrubbed("at:/srv/data/x"), "at:path-2-t");
  EXPECT_EQ(names.scrubbed("https://x.example/y"), "path-4-t");
  EXPECT_EQ(names.scrubbed("<bob@acme.example>"), "<user-2-t>");
  EXPECT_EQ(names.scrubbed("GPU-5ae65999-6d33-6f6f-3add-e57fbc984a76 at 0000:c7:00.0"),
            "gpu-1-t at device-1-t");
}

TEST(Placeholders, NamesOfCasesAndKernelsStay) {
  Placeholders names("t");
  for (const char* text :
       {"aten::topk/libtorch/cols=128256/dtype=float32/k=50", "void f<(int)2, a::b>(float *, long)",
        "2026-11-26T04:15:37Z", "gen 5 x16", "9.19.0", "sm90_xmma_gemm_bf16/x", "[1,2,3]"})
    EXPECT_EQ(names.scrubbed(text), text);
}

}  // namespace
}  // namespace plumbline
