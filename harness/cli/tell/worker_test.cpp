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

std::string place_of(const ConformanceResult& result) {
  return std::string(kPage) + "#" + std::string(result.place);
}

std::string as_json(const std::vector<ConformanceResult>& results) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ConformanceResult& result : results)
    list.push_back({{"check", result.check},
                    {"ok", result.expected.empty()},
                    {"found", result.found},
                    {"expected", result.expected},
                    {"place", place_of(result)}});
  return list.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string as_table(const std::vector<ConformanceResult>& results) {
  Table table({{""}, {"check"}, {"found", Fit::text}});
  for (const ConformanceResult& result : results) {
    const bool is_ok = result.expected.empty();
    const std::string words = is_ok ? result.found
                                    : fmt::format("found {}; expected {} ({})", result.found,
                                                  result.expected, place_of(result));
    table.add({{is_ok ? "ok" : "failed", is_ok ? Colour::green : Colour::red},
               {std::string(result.check)},
               {words}});
  }
  return table.text();
}

int test_worker(const TestFlags& flags) {
  const std::vector<ConformanceResult> results = check_conformance(flags.request);
  print_result(flags.json ? as_json(results) : as_table(results));
  const auto failed = std::ranges::count_if(
      results, [](const ConformanceResult& result) { return !result.expected.empty(); });
  if (failed == 0)
    say(fmt::format("it is a worker: {} passed\n", counted(results.size(), "check")));
  else
    say(fmt::format("{} of {} failed\n", failed, counted(results.size(), "check")));
  return failed == 0 ? kExitOk : kExitRegression;
}

}  // namespace

Action configure_worker_test(CLI::App& app) {
  auto flags = std::make_shared<TestFlags>();
  ConformanceRequest& request = flags->request;
  app.add_option("PROGRAM", request.program,
                 "the program, and its arguments; behind -- they may begin with a dash")
      ->required();
  app.add_option("--device", request.device, "the device to test on [the first that it lists]")
      ->type_name("DEVICE");
  app.add_option("--suite", request.suite,
                 "a suite whose first case it has [add of 65536 elements, by backend worker or "
                 "libtorch]")
      ->type_name("FILE");
  app.add_option("--timeout-s", request.timeout_s,
                 "most seconds for each answer, where a run allows more [300]")
      ->type_name("VALUE")
      ->check(CLI::PositiveNumber);
  app.add_flag("--json", flags->json, "print a JSON list");
  app.footer(
      fmt::format("What each check is about is in {}.\n"
                  "Exit codes: 0 all checks passed; 1 one failed; 2 there is no such "
                  "program.",
                  kPage));
  return [flags](const auto&) { return test_worker(*flags); };
}

}  // namespace plumbline
