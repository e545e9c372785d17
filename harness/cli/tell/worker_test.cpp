#include "cli/tell/worker_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/words.h"
#include "terminal/console.h"
#include "terminal/table.h"
#include "workflow/conformance/conformance.h"

namespace plumbline {
namespace {

constexpr const char* kPage = "docs/reference/protocol.md";

struct TestFlags {
  ConformanceRequest request;
  bool json = false;
};

std::string place_of(const Finding& finding) {
  return std::string(kPage) + "#" + std::string(finding.place);
}

std::string as_json(const std::vector<Finding>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings)
    list.push_back({{"check", finding.check},
                    {"ok", finding.expected.empty()},
                    {"found", finding.found},
                    {"expected", finding.expected},
                    {"place", place_of(finding)}});
  return list.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string as_table(const std::vector<Finding>& findings) {
  Table table({{""}, {"check"}, {"found", Fit::text}});
  for (const Finding& finding : findings) {
    const bool is_ok = finding.expected.empty();
    const std::string words = is_ok ? finding.found
                                    : fmt::format("found {}; expected {} ({})", finding.found,
                                                  finding.expected, place_of(finding));
    table.add({{is_ok ? "ok" : "failed", is_ok ? Colour::green : Colour::red},
               {std::string(finding.check)},
               {words}});
  }
  return table.text();
}

int test_worker(const TestFlags& flags) {
  const std::vector<Finding> findings = check_conformance(flags.request);
  print_result(flags.json ? as_json(findings) : as_table(findings));
  const auto failed = std::ranges::count_if(
      findings, [](const Finding& finding) { return !finding.expected.empty(); });
  if (failed == 0)
    say(fmt::format("it is a worker: {} passed\n", counted(findings.size(), "check")));
  else
    say(fmt::format("{} of {} failed\n", failed, counted(findings.size(), "check")));
  return failed == 0 ? kExitOk : kExitRegression;
}

}  // namespace

Action configure_worker_test(CLI::App& app) {
  auto flags = std::make_shared<TestFlags>();
  ConformanceRequest& request = flags->request;
  app.add_option("PROGRAM", request.program,
                 "the program, and its arguments; behind -- they may begin with a dash")
      ->required();
  app.add_option("--device", request.device, "where it is to stand [the first that it lists]")
      ->type_name("DEVICE");
  app.add_option("--suite", request.suite,
                 "a suite whose first case it has [add of 65536 elements, by backend worker or "
                 "libtorch]")
      ->type_name("FILE");
  app.add_option("--timeout-s", request.timeout_s,
                 "most seconds for each answer, where a run allows more [300]")
      ->type_name("VALUE")
      ->check(CLI::PositiveNumber);
  app.add_flag("--json", flags->json, "as a JSON list");
  app.footer(
      fmt::format("What each check is about is in {}.\n"
                  "Exit codes: 0 all checks passed; 1 one failed; 2 there is no such "
                  "program.",
                  kPage));
  return [flags](const auto&) { return test_worker(*flags); };
}

}  // namespace plumbline
