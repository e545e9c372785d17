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
  EXPECT_EQ(changes[2]["baseline"], "text-2-tag");
}

TEST(Redaction, NamesOfVariablesAndFilesAreHiddenInChangesAndFacts) {
  Redactor redactor("tag");
  const auto fact = [](const char* name, const char* label) {
    return Json{{"name", name}, {"label", label}};
  };
  const Json facts = {fact("variable.CUDA_LEAK", "variable CUDA_LEAK"),
                      fact("source.kernels/alice.cu", "source file kernels/alice.cu"),
                      fact("policy.metrics", "option metrics"),
                      fact("suite.quick", "suite file quick"),
                      fact("kernels", "kernels"),
                      fact("host", "host")};
  const Json made = redactor.redacted_comparison(
      {{"environment_changes", facts}, {"causes", {{{"facts", facts}}}}});
  for (const Json& shown : {made["environment_changes"], made["causes"][0]["facts"]}) {
    EXPECT_EQ(shown[0], (Json{{"name", "text-1-tag"}, {"label", "text-2-tag"}}));
    EXPECT_EQ(shown[1], (Json{{"name", "text-3-tag"}, {"label", "text-4-tag"}}));
    for (std::size_t i = 2; i < facts.size(); ++i) EXPECT_EQ(shown[i], facts[i]);
  }
}

TEST(Redaction, ANameOfSomebodyChangesNoWordThatPlumblineComparesBy) {
  for (const char* name :
       {"cuda", "rows", "gpu_time_cold", "libtorch", "quick", "timing", "cold"}) {
    RunInfo info;
    info.environment.started_by = info.environment.host = info.environment.branch = name;
    info.environment.device_kind = "cuda";
    info.environment.device_class = "cuda rows";
    info.policy.metrics = {"gpu_time_cold"};
    info.policy.cache = {"cold"};
    info.suites.emplace_back().name = "quick";
    info.suites[0].cases = {"sum/libtorch/axis=rows"};
    Redactor redactor("t");
    redactor.learn({info, {}, "", {}});
    const RunInfo made = redactor.redacted({info, {}, "", {}}).info;
    EXPECT_EQ(made.environment.device_kind, "cuda");
    EXPECT_EQ(made.environment.device_class, "cuda rows");
    EXPECT_EQ(made.policy.metrics, info.policy.metrics);
    EXPECT_EQ(made.policy.cache, info.policy.cache);
    EXPECT_EQ(made.suites[0].name, "quick");
    EXPECT_EQ(made.suites[0].cases, info.suites[0].cases);
    const Json words = {{"suite", "quick"},
                        {"case", "sum/libtorch/axis=rows"},
                        {"op", "rows"},
                        {"backend", "libtorch"},
                        {"metric", "gpu_time_cold"}};
    EXPECT_EQ(redactor.redacted_comparison(
                  {{"findings", {words}}, {"census", {{"cuda", 1}, {"rows", 2}}}}),
              (Json{{"findings", {words}}, {"census", {{"cuda", 1}, {"rows", 2}}}}));
  }
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
  EXPECT_EQ(names.scrubbed("reads \"/srv/data/x\" and ~/y"), "reads \"path-2-t\" and path-3-t");
  EXPECT_EQ(names.scrubbed("file=/srv/data/x"), "file=path-2-t");
  EXPECT_EQ(names.scrubbed("at:/srv/data/x"), "at:path-2-t");
  EXPECT_EQ(names.scrubbed("https://x.example/y"), "path-4-t");
  EXPECT_EQ(names.scrubbed("<bob@acme.example>"), "<user-2-t>");
  EXPECT_EQ(names.scrubbed("GPU-5ae65999-6d33-6f6f-3add-e57fbc984a76 at 0000:c7:00.0"),
            "gpu-1-t at device-1-t");
}

TEST(Placeholders, PartsOfANameAreHiddenInAnyCaseOfLetters) {
  Placeholders names("t");
  names.of(Redaction::host, "Node17.Corp.Example");
  names.of(Redaction::user, "Alice Wonder <al.w@acme.example>");
  names.of(Redaction::user, "bob");
  names.of(Redaction::branch, "Carol/new-kernels");
  EXPECT_EQ(names.scrubbed("node17, NODE17.corp.example, x.corp.example"),
            "host-1-t, host-1-t, x.host-1-t");
  EXPECT_EQ(names.scrubbed("alice wonder; ALICE; wonder_kernel; al.w; x.acme.example"),
            "user-1-t; user-1-t; user-1-t_kernel; user-1-t; x.user-1-t");
  EXPECT_EQ(names.scrubbed("of bob, not of bobbins"), "of user-2-t, not of bobbins");
  EXPECT_EQ(names.scrubbed("carol/new-kernels carol New-Kernels"),
            "branch-1-t branch-1-t branch-1-t");
}

TEST(Placeholders, APathIsHiddenWhereverItBeginsAndUpToItsEnd) {
  for (const char* path : {"/home/u/X/x", "/srv/My Project/a (old), b.txt.secret", "~/x", "~u/x",
                           "../u/x", "C:\\u\\x", "\\\\box\\u", "file:///u/x", "/secret"})
    for (const char* before :
         {"", "x ", "-L", "-I", "x+", "@", "xy:", "a=", "[", "\"", "\\\"", "#", "!"}) {
      if (*before == '-' && *path != '/') continue;  // "-Lx" is no path
      Placeholders names("t");
      EXPECT_EQ(names.scrubbed(std::string(before) + path), std::string(before) + "path-1-t");
    }
  Placeholders names("t");
  EXPECT_EQ(names.scrubbed("lib/home/u/x"), "libpath-1-t");
  EXPECT_EQ(names.scrubbed(R"([{"name":"f /srv/a \"b\" c","count":2}])"),
            R"([{"name":"f path-2-t","count":2}])");
}

TEST(Placeholders, AddressesOfMachinesAndDevicesAreHidden) {
  Placeholders names("t");
  EXPECT_EQ(names.scrubbed("at 10.1.22.133:80, fe80::1a2b, aa:bb:cc:dd:ee:0f"),
            "at host-1-t:80, host-2-t, host-3-t");
  EXPECT_EQ(names.scrubbed("on c7:00.0"), "on device-1-t");
}

TEST(Placeholders, NamesOfCasesAndKernelsStay) {
  Placeholders names("t");
  names.of(Redaction::user, "ubuntu");
  names.of(Redaction::branch, "main");
  for (const char* text :
       {"aten::topk/libtorch/cols=128256/dtype=float32/k=50", "void f<(int)2, a::b>(float *, long)",
        "2026-11-26T04:15:37Z", "gen 5 x16", "9.19.0", "sm90_xmma_gemm_bf16/x", "[1,2,3]",
        "f<std::array<char*, 1ul>>(a)/b", "at::native::x<4::y>", "~Foo()", "n/a", "2.1.0+cu124",
        "96.00.74.00.01", "main_loop of root on Ubuntu 22.04"})
    EXPECT_EQ(names.scrubbed(text), text);
}

}  // namespace
}  // namespace plumbline
