/// plumbline export: a run or a comparison in a format that other programs read.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "core/error.h"
#include "core/words.h"
#include "reports/exports/exports.h"
#include "store/csv/flat_csv.h"
#include "store/exported/openmetrics.h"
#include "store/file.h"
#include "store/run/run_reader.h"
#include "store/verdict/comparison_json.h"
#include "store/verdict/gbench_file.h"
#include "terminal/choice.h"
#include "terminal/console.h"
#include "terminal/run_progress.h"
#include "workflow/results/named_results.h"
#include "workflow/results/run_database.h"
#include "workflow/results/source_places.h"

namespace plumbline {
namespace {

struct ExportFlags {
  std::string format, input, output;
  bool with_times = false;
};

std::string of_comparison(const Comparison& comparison, const ExportFlags& flags) {
  if (flags.format == "csv") return flat_csv(comparison);
  if (flags.format == "junit") return junit_text(comparison);
  if (flags.format == "sarif") return sarif_text(comparison, source_places(comparison));
  if (flags.format == "markdown") return markdown_text(comparison);
  if (flags.format == "badge") return badge_json(comparison);
  throw Error(flags.format + ": a run has times and repetitions, " + flags.input +
              " is a comparison; export its runs, " + comparison.baseline_path + " and " +
              comparison.candidate_path);
}

std::string of_run(const ExportFlags& flags) {
  const Run run = read_run(flags.input);
  for (const std::string& warning : run.warnings) print_note(warning);
  if (run.info.finished_at.empty()) print_note(run.path + " is not finished");
  if (flags.format == "csv") return flat_csv(run);
  if (flags.format == "openmetrics") return openmetrics_text(run, flags.with_times);
  if (flags.format != "gbench")
    throw Error(flags.format + ": is about verdicts, and " + flags.input +
                " is a run, which has none; `plumbline compare BASE " + flags.input +
                " -o comparison.json` reaches them");
  GbenchText text = gbench_json(run);
  if (text.left_out > 0)
    print_note(fmt::format(
        "{} of metrics that are no times are left out: Google Benchmark's format has no place for "
        "them",
        counted(text.left_out, "result")));
  return text.json;
}

int export_database(const ExportFlags& flags) {
  if (flags.output.empty())
    throw Error("sqlite: a database is a file: name it with -o, such as -o runs.sqlite");
  if (find_comparison(flags.input))
    throw Error("sqlite: holds runs, and " + flags.input +
                " is a comparison; export the run that it judged: the comparison.json in a run's "
                "directory comes along");
  ConsoleTalk talk;
  const std::size_t runs = write_run_database(flags.input, flags.output, talk);
  say(fmt::format("{} in {}\n", counted(runs, "run"), flags.output));
  return kExitOk;
}

[[noreturn]] void refuse_parquet(const ExportFlags& flags) {
  throw Error(
      "parquet: this program does not write it; the Python package does, with pyarrow: python3 -m "
      "plumbline_gpu.parquet " +
      flags.input + " -o " + (flags.output.empty() ? "FILE.parquet" : flags.output));
}

int export_results(const ExportFlags& flags) {
  if (flags.format == "parquet") refuse_parquet(flags);
  if (flags.with_times && flags.format != "openmetrics")
    throw Error("--timestamps: is for openmetrics, found " + flags.format);
  if (flags.format == "sqlite") return export_database(flags);
  require_results(flags.input);
  const std::optional<Comparison> comparison = find_comparison(flags.input);
  const std::string text = comparison ? of_comparison(*comparison, flags) : of_run(flags);
  if (flags.output.empty())
    print_result(text);
  else
    write_atomically(flags.output, text);
  return kExitOk;
}

}  // namespace

Command export_command() {
  return {"export",
          "Write a run or a comparison for other programs: CSV, SQLite, OpenMetrics, SARIF, …",
          [](CLI::App& app) {
            auto flags = std::make_shared<ExportFlags>();
            app.add_option("FORMAT", flags->format,
                           "csv (either), gbench, openmetrics (a run), sqlite (a run, or a folder "
                           "of runs), junit, sarif, markdown or badge (a comparison)")
                ->required()
                ->check(one_of({"gbench", "csv", "openmetrics", "sqlite", "parquet", "junit",
                                "sarif", "markdown", "badge"}));
            app.add_option("RUN|COMPARISON", flags->input,
                           "a run, a baseline file, or a comparison.json")
                ->required();
            app.add_flag("--timestamps", flags->with_times,
                         "openmetrics: samples have the time at which the run started");
            app.add_option("-o,--output", flags->output, "the file [standard output]")
                ->type_name("FILE");
            app.footer(
                "gbench: a repetition for each visit, named as plumbline-gbench names it; read by "
                "compare.py and by `plumbline import gbench`. csv: a row per case × metric, each "
                "parameter in a column `param.…`. openmetrics: for Prometheus. sqlite: tables run, "
                "summary, "
                "result, verdict and parameter; a folder brings no `result`. badge: the JSON that "
                "shields.io draws. parquet: the Python package writes it.\nExit codes: 0; 2 a "
                "mistake, or what the format "
                "cannot hold. What a verdict says does not change them.");
            return Action([flags](const auto&) { return export_results(*flags); });
          }};
}

}  // namespace plumbline
