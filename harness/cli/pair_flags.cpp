#include "cli/pair_flags.h"

#include "core/error.h"
#include "terminal/flags.h"

namespace plumbline {
namespace {

constexpr const char* kSides = "Sides: a, the baseline's, and b, the candidate's";

double control_share_of(const std::string& text) {
  if (text == "0" || text == "0%") return 0;
  const double share = fraction_of("--controls", text);
  if (share < 0.01 || share > 0.5)
    throw Error("--controls " + text + ": expected 1% to 50%, or 0 for none");
  return share;
}

}  // namespace

void add_pair_flags(CLI::App& app, PairFlags& flags) {
  app.add_option(
         "--looks", flags.looks,
         "numbers of pairs after which cases are judged; decided cases end there [3 6 12 24 48]")
      ->delimiter(',')
      ->type_name("PAIRS");
  app.add_option("--margin", flags.margin,
                 "a case is SAME if its interval is within ± this share [2% on a GPU, 5% on a CPU]")
      ->type_name("SHARE");
  app.add_option("--threshold", flags.threshold,
                 "smallest change that is called SLOWER or FASTER [0.5% on a GPU, 3% on a CPU]")
      ->type_name("SHARE");
  app.add_option("--controls", flags.controls,
                 "share of the pairs' time for measuring the baseline's side against itself, where "
                 "every alarm is false; 1% to 50%, or 0 for none [10%]")
      ->type_name("SHARE");
  app.add_flag(
      "--own-placements", flags.own_placements,
      "each side uses memory of its own instead of sharing it: effects of placement do not cancel");
}

PairOptions options_of(const PairFlags& flags) {
  PairOptions options;
  options.looks = flags.looks;
  options.own_placements = flags.own_placements;
  if (!flags.margin.empty()) options.margin = fraction_of("--margin", flags.margin);
  if (!flags.threshold.empty()) options.effect_floor = fraction_of("--threshold", flags.threshold);
  if (!flags.controls.empty()) options.control_share = control_share_of(flags.controls);
  options.rule("cuda");
  return options;
}

void add_side_flags(CLI::App& app, SidesOptions& options) {
  add_side_worker_flags(app, options);
  add_build_flags(app, options);
}

void add_side_worker_flags(CLI::App& app, SidesOptions& options) {
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name(1, "ab"[i]);
    add_list_flag(app, "--" + name + "-env", options.sides[i].variables,
                  "a variable of the environment that the workers of side " + name + " get")
        ->type_name("NAME=VALUE")
        ->group(kSides);
    app.add_option("--" + name + "-worker", options.sides[i].worker,
                   "the plumbline-worker of side " + name +
                       "; else that of its plumbline.yaml or of its build, else --worker's")
        ->type_name("PATH")
        ->group(kSides);
    add_list_flag(app, "--" + name + "-libs", options.sides[i].libraries,
                  "a folder of libraries that the workers of side " + name +
                      " load instead of their own, such as another cuDNN, cuBLAS or NCCL")
        ->type_name("DIR")
        ->group(kSides);
  }
}

void add_build_flags(CLI::App& app, SidesOptions& options) {
  app.add_option("--build", options.build,
                 "the command that builds each side [`build` of its plumbline.yaml]")
      ->type_name("COMMAND")
      ->group(kSides);
  app.add_flag("--no-build", options.skips_build,
               "do not run `build:` of plumbline.yaml in folders; revisions are still built")
      ->group(kSides);
}

void add_environment_flags(CLI::App& app, EnvironmentRequest& request) {
  add_list_flag(app, "--with", request.more,
                "a package that functions of your suites need, in all environments")
      ->type_name("REQUIREMENT")
      ->group(kEnvironmentFlags);
  app.add_option("--python", request.python,
                 "the Python that makes them [the active environment's]")
      ->type_name("PROGRAM")
      ->group(kEnvironmentFlags);
  add_list_flag(app, "--find-links", request.wheels,
                "a folder with wheels of workers; pip looks there, too")
      ->type_name("DIR")
      ->group(kEnvironmentFlags);
}

void add_history_flag(CLI::App& app, PlaceRequest& flags, const std::string& help) {
  app.add_flag_function(
         "--history,!--no-history", [&flags](std::int64_t count) { flags.history = count > 0; },
         help + " [`history` of plumbline.yaml, else no]")
      ->disable_flag_override();  // --history=DIR is a mistake
}

}  // namespace plumbline
