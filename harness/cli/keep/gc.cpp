/// plumbline gc: removes what Plumbline left on disk and no longer needs.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "core/error.h"
#include "core/value.h"
#include "core/visible.h"
#include "core/words.h"
#include "terminal/choice.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "terminal/table.h"
#include "workflow/cleaning/clean.h"

namespace plumbline {
namespace {

struct GcFlags {
  std::vector<std::string> what;
  std::string older_than = "30d", keep;
  CleanRequest request;
  bool json = false;
};

/// "30d", "12h", "2w", "90m", or "0" as seconds.
double age_of(const std::string& text) {
  constexpr std::pair<char, double> kUnits[] = {
      {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
  double number = 0;
  if (text == "0") return 0;
  for (const auto& [unit, seconds] : kUnits)
    if (text.ends_with(unit) && parse_number(text.substr(0, text.size() - 1), number) &&
        std::isfinite(number) && number >= 0)
      return number * seconds;
  throw Error("--older-than " + text + ": expected an age such as 30d, 12h, 2w, 90m or 0");
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  double size = double(bytes);
  for (; size >= 999.5 && unit + 1 < kUnits.size(); size /= 1000) ++unit;
  return fmt::format("{:.{}f} {}", size, unit > 0 && size < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string table_text(const std::vector<Leftover>& leftovers) {
  Table table(
      {{"what"}, {"size", Fit::number}, {"age", Fit::number}, {"path"}, {"why", Fit::text}});
  for (const Leftover& one : leftovers)
    table.add(
        {{one.what}, {size_text(one.bytes)}, {age_in_words(one.age_s)}, {one.path}, {one.why}});
  return table.text();
}

nlohmann::ordered_json list_of(const std::vector<Leftover>& leftovers) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Leftover& one : leftovers)
    list.push_back({{"what", one.what},
                    {"path", one.path},
                    {"bytes", one.bytes},
                    {"age_s", std::floor(one.age_s)},
                    {"why", one.why}});
  return list;
}

std::string as_json(const CleanResult& result, bool is_dry) {
  return nlohmann::ordered_json({{"dry_run", is_dry},
                                 {"bytes", result.bytes},
                                 {"removed", list_of(result.removed)},
                                 {"kept", list_of(result.kept)},
                                 {"failures", result.failures}})
             .dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

std::string as_text(const CleanResult& result, bool is_dry) {
  std::string text;
  if (!result.removed.empty()) text += table_text(result.removed);
  if (!result.kept.empty())
    text += (text.empty() ? "" : "\n") + std::string("These stay:\n") + table_text(result.kept);
  return text + fmt::format("{}{} {}\n", text.empty() ? "" : "\n", is_dry ? "would free" : "freed",
                            size_text(result.bytes));
}

int collect(GcFlags flags) {
  CleanRequest& request = flags.request;
  if (flags.what.empty()) flags.what = {"cache"};
  for (const std::string& word : flags.what)
    (word == "runs" ? request.runs : word == "cache" ? request.cache : request.environments) = true;
  request.older_than_s = age_of(flags.older_than);
  if (!flags.keep.empty()) {
    std::int64_t keep = 0;
    if (!parse_integer(flags.keep, keep) || keep < 0)
      throw Error("--keep " + flags.keep + ": expected a number of runs, 0 or more");
    request.keep = std::size_t(keep);
  }
  for (const auto& [flag, value] : {std::pair{"--keep", &flags.keep},
                                    {"--runs", &request.places.runs},
                                    {"--baselines", &request.places.baselines}})
    if (!request.runs && !value->empty())
      throw Error(std::string(flag) + " is about runs; to remove runs say `plumbline gc runs`");
  ConsoleTalk talk;
  const CleanResult result = clean(request, talk);
  flags.json ? print_result(as_json(result, request.is_dry))
             : print_text(as_text(result, request.is_dry));
  if (request.runs && !request.keep)
    print_note("finished runs stay; with --keep N all but the newest N may go");
  for (const std::string& failure : result.failures) say_error("error: " + visible(failure) + "\n");
  return result.failures.empty() ? kExitOk : kExitInput;
}

}  // namespace

Command gc_command() {
  return {"gc", "Remove what Plumbline left on disk and no longer needs", [](CLI::App& app) {
            auto flags = std::make_shared<GcFlags>();
            app.add_option(
                   "WHAT", flags->what,
                   "cache: checkouts of revisions, compiled kernels, lists of operators, logs "
                   "of builds; environments: those of scripts/setup and of `upgrade`; runs "
                   "[cache]")
                ->check(one_of({"cache", "environments", "runs"}));
            app.add_option("--older-than", flags->older_than,
                           "what was used later stays: 30d, 12h, 2w; 0 for any age [30d]")
                ->type_name("AGE");
            app.add_option("--keep", flags->keep,
                           "of runs: finished ones may go, too, except for the newest N of each "
                           "device class")
                ->type_name("N");
            add_runs_flag(app, flags->request.places);
            add_baselines_flag(app, flags->request.places);
            app.add_flag("--dry-run", flags->request.is_dry, "show what would go; remove nothing");
            app.add_flag("--json", flags->json, "print JSON");
            app.footer(
                "Without --keep only runs that never finished go. A run stays that a baseline "
                "holds, that a comparison names, that is in use, or that holds files of somebody "
                "else. The cache is made again when it is needed.\nExit codes: 0; 2 a mistake, or "
                "something could not be removed.");
            return Action([flags](const auto&) { return collect(*flags); });
          }};
}

}  // namespace plumbline
