/// plumbline replay: measures the claims of a bundle again.
#include "workflow/bundle/replay.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/pair_flags.h"
#include "core/visible.h"
#include "core/words.h"
#include "reports/units.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"

namespace plumbline {
namespace {

struct ReplayFlags {
  ReplayRequest request;
  PairFlags pairs;
  std::vector<std::string> cases;
  bool json = false;
};

std::string change_of(const Finding& finding) {
  if (!finding.change || !finding.change_low || !finding.change_high)
    return std::string(name_of(finding.verdict));
  return fmt::format("{} {}", name_of(finding.verdict),
                     change_text(finding.change, finding.change_low, finding.change_high).whole());
}

Colour colour_of(ReplayAnswer answer) {
  switch (answer) {
    case ReplayAnswer::confirmed:
      return Colour::green;
    case ReplayAnswer::refuted:
      return Colour::red;
    default:
      return Colour::yellow;
  }
}

std::string line_of(const ClaimAnswer& answer) {
  std::string text = fmt::format(
      "{} {} {}\n  claimed: {}\n", coloured(name_of(answer.answer), colour_of(answer.answer), 1),
      visible(answer.claim.case_id), visible(answer.claim.metric), change_of(answer.claim));
  if (answer.measured && answer.answer != ReplayAnswer::not_comparable)
    text += fmt::format("  here:    {}\n", change_of(*answer.measured));
  if (!answer.reason.empty()) text += "  " + visible(answer.reason) + "\n";
  return text;
}

std::string text_of(const ReplayResult& result, const std::string& page) {
  std::string text;
  for (const ClaimAnswer& answer : result.answers) text += line_of(answer);
  const ReplayAnswer whole = answer_of(result.answers);
  text += fmt::format("{}: ", coloured(name_of(whole), colour_of(whole), 1));
  std::string counts;
  for (std::size_t i = 0; i < kAnswerNames.size(); ++i) {
    const auto count =
        std::size_t(std::ranges::count(result.answers, ReplayAnswer(i), &ClaimAnswer::answer));
    if (count > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, kAnswerNames[i]);
  }
  text += fmt::format("of {}: {}", counted(result.answers.size(), "claim"), counts);
  text += result.device.empty() ? "\n" : " on " + visible(result.device) + "\n";
  if (!page.empty()) text += "page: " + page + "\n" + result.folder + "\n";
  return text;
}

nlohmann::json json_of(const Finding& finding) {
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  return {{"verdict", name_of(finding.verdict)},
          {"change", number(finding.change)},
          {"change_low", number(finding.change_low)},
          {"change_high", number(finding.change_high)}};
}

nlohmann::json json_of(const ReplayResult& result) {
  nlohmann::json claims = nlohmann::json::array();
  for (const ClaimAnswer& answer : result.answers)
    claims.push_back(
        {{"suite", answer.claim.suite},
         {"case", answer.claim.case_id},
         {"metric", answer.claim.metric},
         {"answer", name_of(answer.answer)},
         {"reason", answer.reason},
         {"claimed", json_of(answer.claim)},
         {"measured", answer.measured ? json_of(*answer.measured) : nlohmann::json()}});
  return {{"answer", name_of(answer_of(result.answers))},
          {"device", result.device},
          {"folder", result.folder},
          {"claims", std::move(claims)}};
}

int exit_code_of(ReplayAnswer answer) {
  switch (answer) {
    case ReplayAnswer::confirmed:
      return kExitOk;
    case ReplayAnswer::refuted:
      return kExitRegression;
    default:
      return kExitNotJudged;
  }
}

int run_replay(const ReplayFlags& flags, const std::vector<std::string>& command) {
  ReplayRequest request = flags.request;
  request.pairs = options_of(flags.pairs);
  request.cases.insert(flags.cases.begin(), flags.cases.end());
  request.command = command;
  ConsoleTalk talk;
  const ReplayResult result = replay(request, talk);
  if (result.signal != 0) return kExitSignal + result.signal;
  std::string page;
  if (result.judged.candidate) {
    page = result.folder + "/report.html";
    write_page(result.judged, page, "", "", talk);
  }
  if (flags.json)
    print_result(json_of(result).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
                 "\n");
  else
    print_text(text_of(result, page));
  return exit_code_of(answer_of(result.answers));
}

}  // namespace

Command replay_command() {
  return {
      "replay", "Measure the claims of a bundle again, in pairs, on this machine",
      [](CLI::App& app) {
        auto flags = std::make_shared<ReplayFlags>();
        ReplayRequest& request = flags->request;
        app.add_option("BUNDLE", request.archive, "a file that `plumbline bundle` made")
            ->required();
        add_list_flag(app, "--case", flags->cases, "a case of the bundle [all that it is about]")
            ->type_name("ID");
        app.add_flag("--trust", request.is_trusted,
                     "run the bundle's code with your rights, and not in a sandbox: read it first");
        add_worker_flags(app, request.run.worker);
        add_sandbox_limits(app, request.run.worker);
        add_pair_flags(app, flags->pairs);
        add_side_worker_flags(app, request.sides);
        app.add_option("-o,--output", request.run.output,
                       "a folder for the runs a and b, comparison.json and report.html "
                       "[<time>-nocommit-replay in the present folder]")
            ->type_name("DIR");
        app.add_flag("--json", flags->json, "print the answers as JSON");
        app.footer(
            "Nothing of a bundle runs before its device and libraries are compared with yours. Its "
            "code then runs in a sandbox (bubblewrap), or with --trust. Nothing is built. Each "
            "claim "
            "is CONFIRMED: the same verdict, and the interval meets half to twice the claimed "
            "change; REFUTED: the interval excludes that; CANNOT TELL: neither; or NOT COMPARABLE, "
            "with the reason: another class of device, another version of the library that "
            "computes "
            "the case, a missing worker or file, a case that does not run here.\nExit codes: 0 all "
            "are CONFIRMED; 1 one is REFUTED; 2 a mistake, a bundle that is refused, no sandbox; 3 "
            "otherwise; 130 interrupted.");
        return Action([flags](const auto& command) { return run_replay(*flags, command); });
      }};
}

}  // namespace plumbline
