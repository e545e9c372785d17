#include "cli/measure/ab_result.h"

#include "cli/command.h"
#include "cli/judge/verdict_text.h"
#include "terminal/console.h"
#include "terminal/flags.h"

namespace plumbline {

void add_ab_output(CLI::App& app, AbRequest& request, AbOutput& output) {
  app.add_option("-o,--output", request.run.output,
                 "a folder for the runs a and b, comparison.json and report.html; else "
                 "<runs>/<time>-<commit>-ab")
      ->type_name("DIR");
  add_verdict_files(app, output.files);
  app.add_flag("--json", output.json, "print comparison.json");
}

int tell_ab(const AbResult& measured, const AbOutput& output, Talk& talk) {
  if (measured.signal != 0) return kExitSignal + measured.signal;
  const Comparison& comparison = *measured.judged.comparison;
  write_verdict_files(comparison, output.files);
  const std::string page = measured.folder + "/report.html";
  write_page(measured.judged, page, "", "", talk);
  if (output.json)
    print_result(json_of(comparison));
  else if (!takes_standard_output(output.files))
    print_text(verdict_text(comparison, page) + measured.folder + "\n");
  return exit_code(comparison);
}

}  // namespace plumbline
