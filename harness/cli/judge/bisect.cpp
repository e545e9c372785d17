/// plumbline bisect: which version changed the time of a case.
#include "workflow/bisect/bisect.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/confirm/judge_pairs.h"
#include "cli/command.h"
#include "cli/pair_flags.h"
#include "core/error.h"
#include "core/visible.h"
#include "core/words.h"
#include "reports/cause_text.h"
#include "reports/units.h"
#include "store/run/run_reader.h"
#include "store/verdict/comparison_json.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "workflow/results/page.h"

namespace plumbline {
namespace {

struct BisectFlags {
  BisectRequest request;
  std::vector<std::string> cases;
  std::string error, threshold;  // shares, as text
  bool json = false;
};

constexpr std::string_view kKindNames[] = {"one_step", "several", "taken_back", "none",
                                           "cannot_tell"};

/// `+2.3 % [+1.9, +2.7]`, from logarithms.
std::string change_of_logs(const Interval& logs, double value) {
  return change_text(std::expm1(value), std::expm1(logs.low), std::expm1(logs.high)).whole();
}

double middle(const Interval& interval) { return (interval.low + interval.high) / 2; }

std::string name_of_range(const BisectSearch& search, const CommitRange& range) {
  if (range.first == range.last) return search.versions[range.first].shown;
  return fmt::format("one of {} from {} to {}", counted(range.last - range.first + 1, "version"),
                     search.versions[range.first].shown, search.versions[range.last].shown);
}

/// The first sentence.
std::string answer_of(const BisectSearch& search) {
  const BisectResult& result = search.result;
  const std::string good = search.versions.front().shown, bad = search.versions.back().shown;
  switch (result.kind) {
    case BisectKind::none:
      return fmt::format("no change of {:g} % or more: {} takes as long as {}",
                         100 * search.threshold, bad, good);
    case BisectKind::one_step:
      return "found: " + name_of_range(search, *result.commits);
    case BisectKind::several:
      return "several changes, or a slow drift: no single version explains the whole change" +
             (result.commits ? "; a part of it is in " + name_of_range(search, *result.commits)
                             : std::string());
    case BisectKind::taken_back:
      return "the change was made, taken back or made again between these versions" +
             (result.commits
                  ? "; the last search ended at " + name_of_range(search, *result.commits)
                  : std::string());
    case BisectKind::cannot_tell:
      break;
  }
  return result.commits ? "cannot tell within the most pairs; it lies in " +
                              name_of_range(search, *result.commits)
                        : "cannot tell within the most pairs";
}

/// What the versions beside the change differ in: files, kernels, registers.
std::string facts_of(const BisectSearch& search) {
  if (search.step.empty()) return "";
  if (!std::filesystem::exists(search.step + "/comparison.json")) return "";
  const Comparison comparison = read_comparison(search.step + "/comparison.json");
  std::string text;
  for (const Cause& cause : comparison.causes)
    for (const FactLine& line : fact_lines(cause, &comparison))
      text += "  " + (line.label.empty() ? "" : line.label + ": ") + line.text + "\n";
  return text;
}

/// What became of the search in the branch of the found merge.
std::string branch_line(const BisectOutcome& outcome) {
  const BisectSearch& last = outcome.searches.back();
  if (!outcome.branch_failure.empty())
    return "  it is a merge, and its branch cannot be searched: " + outcome.branch_failure + "\n";
  if (&last == &outcome.answer()) return "";
  return "  it is a merge; in its branch: " + answer_of(last) + "\n";
}

std::string text_of(const BisectOutcome& outcome, const BisectRequest& request) {
  const BisectSearch& search = outcome.answer();
  const BisectResult& result = search.result;
  std::string text = answer_of(search) + "\n" + branch_line(outcome);
  if (result.own)
    text += fmt::format("  its change of {}: {}\n", outcome.metric,
                        change_of_logs(*result.own, middle(*result.own)));
  if (result.total)
    text += fmt::format("  from GOOD to BAD: {}\n",
                        change_of_logs(*result.total, middle(*result.total)));
  if (result.share)
    text += fmt::format(
        "  its share of that: {} % [{}, {}]\n", percent_digits(100 * middle(*result.share), 0),
        percent_digits(100 * result.share->low, 0), percent_digits(100 * result.share->high, 0));
  text += facts_of(search);
  std::size_t builds = 0, pairs = 0, versions = 0, skipped = 0;
  for (const BisectSearch& one : outcome.searches) {
    builds += one.builds;
    pairs += one.pairs;
    versions += one.versions.size();
    skipped += one.skipped.size();
  }
  text += fmt::format("  measured: {} of {} in {}; left out: {}\n", builds,
                      counted(versions, "version"), counted(pairs, "pair"), skipped);
  text += fmt::format("  probability of an error in any interval of the search: at most {:g} %\n",
                      100 * request.rule.error_rate);
  return visible(text.substr(0, text.find('\n'))) + text.substr(text.find('\n'));
}

nlohmann::json json_of(const std::optional<Interval>& logs) {
  if (!logs) return nullptr;
  return {{"estimate", std::expm1(middle(*logs))},
          {"low", std::expm1(logs->low)},
          {"high", std::expm1(logs->high)}};
}

nlohmann::json json_of(const BisectOutcome& outcome) {
  nlohmann::json searches = nlohmann::json::array();
  for (const BisectSearch& search : outcome.searches) {
    nlohmann::json found = nlohmann::json::array(), skipped = nlohmann::json::array();
    if (const auto& commits = search.result.commits)
      for (std::size_t i = commits->first; i <= commits->last; ++i)
        found.push_back(search.versions[i].side);
    for (const auto& [position, reason] : search.skipped)
      skipped.push_back({{"version", search.versions[position].side}, {"reason", reason}});
    searches.push_back({{"kind", kKindNames[std::size_t(search.result.kind)]},
                        {"good", search.versions.front().side},
                        {"bad", search.versions.back().side},
                        {"versions", search.versions.size()},
                        {"found", std::move(found)},
                        {"total", json_of(search.result.total)},
                        {"own", json_of(search.result.own)},
                        {"measured", search.builds},
                        {"pairs", search.pairs},
                        {"threshold", search.threshold},
                        {"left_out", std::move(skipped)},
                        {"step", search.step}});
  }
  return {{"folder", outcome.folder},
          {"metric", outcome.metric},
          {"searches", searches},
          {"branch_failure", outcome.branch_failure}};
}

/// The page of the pairs beside the change.
std::string page_of(const BisectSearch& search, Talk& talk) {
  if (search.step.empty()) return "";
  if (!std::filesystem::exists(search.step + "/comparison.json")) {
    talk.note(search.step + " is gone, so that there is no page about it");
    return "";
  }
  PageMaterial material{read_run(search.step + "/b"), read_run(search.step + "/a"),
                        read_comparison(search.step + "/comparison.json")};
  std::string page = search.step + "/report.html";
  write_page(material, page, "", "", talk);
  return page;
}

/// With a list, all words of the command line are suites.
void take_as_suites(BisectRequest& request) {
  std::vector<std::string>& suites = request.run.suite.suites;
  for (std::string* const word : {&request.bad, &request.good})
    if (!word->empty()) suites.insert(suites.begin(), std::exchange(*word, ""));
}

int run_bisect(const BisectFlags& flags, const std::vector<std::string>& command) {
  BisectRequest request = flags.request;
  if (flags.cases.size() != 1)
    throw Error(
        fmt::format("found {}; name the one to search for with --case ID (`plumbline "
                    "list` prints ids)",
                    counted(flags.cases.size(), "case")));
  if (!request.list.empty()) take_as_suites(request);
  if (request.list.empty() && request.bad.empty())
    throw Error("name GOOD and BAD, or a file of versions with --list");
  request.case_id = flags.cases.front();
  request.command = command;
  if (!flags.error.empty()) request.rule.error_rate = fraction_of("--error", flags.error);
  if (!flags.threshold.empty()) request.threshold = fraction_of("--threshold", flags.threshold);
  ConsoleTalk talk;
  const BisectOutcome outcome = bisect(request, talk);
  if (outcome.signal != 0) return kExitSignal + outcome.signal;
  const std::string page = page_of(outcome.answer(), talk);
  if (flags.json)
    print_result(json_of(outcome).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
                 "\n");
  else
    print_text(text_of(outcome, request) + (page.empty() ? "" : "  page: " + page + "\n") +
               outcome.folder + "\n");
  return has_found(outcome.answer().result) ? kExitOk : kExitNotJudged;
}

void add_search_flags(CLI::App& app, BisectFlags& flags) {
  BisectRequest& request = flags.request;
  app.add_option("GOOD", request.good,
                 "the version before the change: a revision, or a release as in torch==2.11.0");
  app.add_option("BAD", request.bad,
                 "the version behind it: a revision of which GOOD is an ancestor, or a release");
  add_list_flag(app, "--case", flags.cases, "the case")->type_name("ID");
  app.add_option("SUITE", request.run.suite.suites,
                 "its suite: a file, or the name of a stock suite [`suites` of plumbline.yaml]");
  app.add_option("--metric", request.metric,
                 "the time to search for [gpu_time_cold, else gpu_time_hot, else wall_time]")
      ->type_name("METRIC");
  app.add_option("--list", request.list,
                 "a file with a version in each line, GOOD first, instead of commits: a folder, a "
                 "revision, a worker, venv:FOLDER or a release")
      ->type_name("FILE");
  app.add_option("--error", flags.error,
                 "probability that the answer is wrong, over the whole search [1%]")
      ->type_name("SHARE");
  app.add_option("--threshold", flags.threshold,
                 fmt::format("smallest change from GOOD to BAD that is searched for [{:g}% on a "
                             "GPU, {:g}% on a CPU]",
                             100 * default_paired_rule("cuda").effect_floor,
                             100 * default_paired_rule("cpu").effect_floor))
      ->type_name("SHARE");
  app.add_option("--looks", request.rule.looks,
                 "numbers of pairs of two versions after which they are judged [6 12 24 48 96]")
      ->delimiter(',')
      ->type_name("PAIRS");
  app.add_option("--checks", request.rule.checks,
                 "versions to measure beside the found one: they tell whether the change was made "
                 "several times [0]")
      ->type_name("N");
}

}  // namespace

Command bisect_command() {
  return {"bisect", "Find the version that changed the time of a case", [](CLI::App& app) {
            auto flags = std::make_shared<BisectFlags>();
            BisectRequest& request = flags->request;
            add_search_flags(app, *flags);
            add_policy_flags(app, request.run.suite);
            add_worker_flags(app, request.run.worker);
            add_sandbox_flags(app, request.run.worker);
            add_runs_flag(app, request.run.places);
            add_build_flags(app, request.sides);
            add_environment_flags(app, request.environments);
            app.add_option("-o,--output", request.run.output,
                           "a folder for the search: its state and all pairs "
                           "[<runs>/<time>-bisect]")
                ->type_name("DIR");
            app.add_flag("--resume", request.resume, "go on with the search in -o");
            app.add_flag("--json", flags->json, "print the result as JSON");
            app.footer(
                "Each step measures two versions in pairs, until it is clear on which side of the "
                "change they are. Versions are checked out and built as sides of `ab` are, once "
                "each; one that cannot be built or measured is left out. If the found commit is a "
                "merge, the search goes on in its branch. Releases are those that pip finds; each "
                "one that is measured gets an environment, as those of `upgrade`.\nExit codes: 0 a "
                "version, or several "
                "changes were found; 2 a mistake, or GOOD or BAD cannot be measured; 3 no change, "
                "or it cannot tell; 130 interrupted.");
            return Action([flags](const auto& command) { return run_bisect(*flags, command); });
          }};
}

}  // namespace plumbline
